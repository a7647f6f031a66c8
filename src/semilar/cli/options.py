"""Options that several verbs have."""

from typing import Annotated

import typer

Model = Annotated[
    str, typer.Option(help="A bundled model's name, or a .onnx or .safetensors file.")
]
EngineName = Annotated[
    str | None, typer.Option(help="What runs the network: onnx, torch or openvino.")
]
Device = Annotated[str | None, typer.Option(help="Where it runs: cpu, cuda, ...")]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Cores per photo; left out: a fair share.")
]
Workers = Annotated[int, typer.Option("-j", "--workers", min=1, help="Photos at the same time.")]
WorkingSize = Annotated[
    int | None, typer.Option(min=16, help="Short side at which the network sees a photo.")
]
Strength = Annotated[
    float,
    typer.Option(
        min=0,
        max=2,
        help="How much flare to take: 0 nothing, 1 what was found, 2 twice that.",
    ),
]
Quality = Annotated[
    int | None,
    typer.Option(min=1, max=100, help="JPEG, WebP, AVIF, HEIC; left out: as the original."),
]
MaxPixels = Annotated[int, typer.Option(min=1, help="Refuse photos of more pixels.")]
FirstFrame = Annotated[
    bool, typer.Option("--first-frame", help="Take the first picture of animations and pages.")
]
StripGps = Annotated[bool, typer.Option("--strip-gps", help="Leave out where the photo was taken.")]
AsJson = Annotated[bool, typer.Option("--json", help="For a machine to read.")]
Lpips = Annotated[
    bool | None, typer.Option(help="LPIPS in both conventions; by default where possible.")
]
PicturesAtATime = Annotated[
    int, typer.Option("-j", "--workers", min=0, help="Pictures at a time; 0: all cores.")
]
ReportPictures = Annotated[
    int, typer.Option(min=0, help="How many pictures a page shows, the worst first.")
]
JsonSummary = Annotated[bool, typer.Option("--json", help="A summary to read by machine.")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
