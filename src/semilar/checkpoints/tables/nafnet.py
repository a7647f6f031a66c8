"""NAFNet."""

from typing import Any

from semilar.checkpoints.layout import KeyTable, Layout, Shapes, count


def _nafnet_options(shapes: Shapes) -> dict[str, Any]:
    steps = count(shapes, r"encoders\.(\d+)\.")
    return {
        "width": shapes["intro.weight"][0],
        "encoder": tuple(count(shapes, rf"encoders\.{i}\.(\d+)\.") for i in range(steps)),
        "middle": count(shapes, r"middle_blks\.(\d+)\."),
        "decoder": tuple(count(shapes, rf"decoders\.{i}\.(\d+)\.") for i in range(steps)),
        "outputs": shapes["ending.weight"][0],
    }


NAFNET_TABLE: KeyTable = (
    (r"(^|\.)intro\.", r"\1first."),
    (r"(^|\.)ending\.", r"\1last."),
    (r"(^|\.)encoders\.", r"\1encoder."),
    (r"(^|\.)decoders\.", r"\1decoder."),
    (r"(^|\.)middle_blks\.", r"\1middle."),
    (r"(^|\.)downs\.", r"\1down."),
    (r"(^|\.)ups\.", r"\1up."),
    (r"\.norm1\.weight$", ".mix.0.gain"),
    (r"\.norm1\.bias$", ".mix.0.bias"),
    (r"\.norm2\.weight$", ".feed.0.gain"),
    (r"\.norm2\.bias$", ".feed.0.bias"),
    (r"\.conv1\.", ".mix.1."),
    (r"\.conv2\.", ".mix.2."),
    (r"\.sca\.1\.", ".mix.4.weigh."),
    (r"\.conv3\.", ".mix.5."),
    (r"\.conv4\.", ".feed.1."),
    (r"\.conv5\.", ".feed.3."),
    (r"\.beta$", ".mix_gain"),
    (r"\.gamma$", ".feed_gain"),
)

NAFNET = Layout(
    name="nafnet",
    title="NAFNet",
    origin="https://github.com/megvii-research/NAFNet",
    network="published-nafnet",
    marks=("intro.weight", "middle_blks.0.conv1.weight", "ending.weight"),
    options=_nafnet_options,
    table=NAFNET_TABLE,
)
