"""The teacher's average against the formula, unrolled."""

import torch
from torch import Tensor, nn

from semilar.semi.teacher import Teacher, ema_momentum


class Student(nn.Module):
    """A parameter, a buffer, and a layer that behaves otherwise in training."""

    count: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([1.0, -2.0]))
        self.register_buffer("count", torch.tensor(0))
        self.drop = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.drop(x) * self.weight[0], x


def twin(teacher: Teacher) -> Student:
    """The teacher's network, which is a copy of the student."""
    assert isinstance(teacher.net, Student)
    return teacher.net


def test_the_average_is_the_unrolled_sum() -> None:
    student = Student()
    teacher = Teacher(student, momentum=0.6)
    values, wanted = [], torch.zeros(2, dtype=torch.float64)
    for step in range(6):
        student.weight.data = torch.tensor([float(step), float(step) ** 2])
        values.append(student.weight.data.double())
        alpha = teacher.update(student)
        assert alpha == min(1 - 1 / (step + 1), 0.6)
    alphas = [min(1 - 1 / (t + 1), 0.6) for t in range(6)]
    for t, value in enumerate(values):
        share = 1 - alphas[t]
        for later in alphas[t + 1 :]:
            share *= later
        wanted += share * value
    torch.testing.assert_close(twin(teacher).weight.detach().double(), wanted)
    assert teacher.updates == 6


def test_the_ramp_goes_on_from_its_counter() -> None:
    assert ema_momentum(0, 0.999) == 0
    assert ema_momentum(10**6, 0.999) == 0.999
    assert Teacher(Student(), momentum=0.999, updates=9).update(Student()) == 1 - 1 / 10


def test_buffers_are_copied_and_the_teacher_stays_in_evaluation() -> None:
    student = Student()
    teacher = Teacher(student, momentum=0.999)
    student.count.fill_(7)
    student.train()
    teacher.update(student)
    assert int(twin(teacher).count) == 7
    assert not teacher.net.training
    x = torch.ones(1, 1000)
    torch.testing.assert_close(teacher(x), x)  # dropout would zero half of it
    assert not any(p.requires_grad for p in teacher.net.parameters())


def test_the_student_is_left_alone() -> None:
    student = Student()
    teacher = Teacher(student, momentum=0.999)
    teacher.update(student)
    twin(teacher).weight.data.fill_(100)
    assert student.weight.tolist() == [1.0, -2.0]
