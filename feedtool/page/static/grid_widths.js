// The widths of columns: dragged at the right edge of a header, or changed by keys and buttons.

const STEP = 24; // pixels
const KEYS = { ArrowLeft: -STEP, ArrowRight: STEP };

// `buttons` have the direction in `data-width`; they and the keys are about the column with the
// focus.
export function startWidths(view, buttons) {
  const change = (pixels) => {
    view.resize(view.column, view.columns[view.column].width + pixels);
    view.moveTo(view.place, view.column); // its end may have left the sight
  };
  for (const button of buttons) {
    button.addEventListener("click", () => change(Number(button.dataset.width) * STEP));
  }
  view.body.addEventListener("keydown", (event) => {
    if (!event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    change(KEYS[event.key]);
  });
  view.header.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.target.matches(".grid-edge")) drag(view, event);
  });
  view.header.addEventListener("dblclick", ({ target }) => {
    if (target.matches(".grid-edge")) view.fit(columnOf(target));
  });
}

// Follows a pointer from where it was pressed until it is let go.
function drag(view, { target: edge, pointerId, clientX: from }) {
  const at = columnOf(edge);
  const { width } = view.columns[at];
  const follow = ({ clientX }) => view.resize(at, width + clientX - from);
  edge.setPointerCapture(pointerId);
  edge.classList.add("dragged");
  edge.addEventListener("pointermove", follow);
  edge.addEventListener("lostpointercapture", () => {
    edge.classList.remove("dragged");
    edge.removeEventListener("pointermove", follow);
  }, { once: true });
}

function columnOf(edge) {
  return Number(edge.parentNode.dataset.column);
}
