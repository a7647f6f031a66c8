// Light, dark, or as the system has it; kept for the next visit.

const button = document.getElementById("theme");
const order = ["auto", "light", "dark"];

function use(theme) {
  document.documentElement.dataset.theme = theme;
  button.textContent = `Colours: ${theme}`;
}

button.addEventListener("click", () => {
  const next = order[(order.indexOf(document.documentElement.dataset.theme) + 1) % order.length];
  localStorage.setItem("theme", next);
  use(next);
});

use(order.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "auto");
