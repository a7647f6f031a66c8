"""The size at which the network sees a photo."""

from hypothesis import given
from hypothesis import strategies as st

from semilar.restore.working import MOST_PIXELS, WORKING_SIZE, working_size

SIDES = st.integers(1, 30_000)


@given(height=SIDES, width=SIDES)
def test_whole_in_shape_and_never_enlarged(height: int, width: int) -> None:
    rows, columns = working_size((height, width))
    assert 1 <= rows <= height
    assert 1 <= columns <= width
    assert min(rows, columns) <= WORKING_SIZE
    assert rows * columns <= MOST_PIXELS * 1.1 or min(rows, columns) <= 5
    factor = min(1, WORKING_SIZE / min(height, width), (MOST_PIXELS / (height * width)) ** 0.5)
    for exact, side in ((height * factor, rows), (width * factor, columns)):
        assert abs(side - exact) <= 0.5 or side == 1  # the shape is kept to half a pixel


def test_a_panorama_is_held_to_the_pixel_limit() -> None:
    assert working_size((1000, 20_000)) == (229, 4579)
