// The JavaScript of the page: tooltips on the timeline and the curves, and opening runs. It reads
// attributes and writes textContent only. The page works without it.
#include "bindings/inspect/report/page.h"

namespace gibbous::report {

std::string_view page_script() {
  return R"js(
'use strict';
(() => {
  const tip = document.getElementById('tip');
  const gap = 14;
  let hair = null;
  const show = (text, event) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + gap, innerWidth - box.width - gap);
    const below = event.clientY + gap + box.height < innerHeight;
    tip.style.left = Math.max(left, gap) + 'px';
    tip.style.top = (below ? event.clientY + gap : event.clientY - gap - box.height) + 'px';
  };
  const hide = () => {
    tip.hidden = true;
    if (hair) hair.remove();
    hair = null;
  };
  const pointsOf = new WeakMap();
  const points = (curve) => {
    if (!pointsOf.has(curve)) {
      pointsOf.set(curve, curve.dataset.points.split('|').map((each) => {
        const at = each.indexOf(';');
        return {x: Number(each.slice(0, at)) / 1000, text: each.slice(at + 1)};
      }));
    }
    return pointsOf.get(curve);
  };
  const overCurve = (curve, event) => {
    const box = curve.querySelector('svg').getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    let nearest = null;
    for (const point of points(curve)) {
      if (!nearest || Math.abs(point.x - x) < Math.abs(nearest.x - x)) nearest = point;
    }
    hide();
    hair = document.createElement('i');
    hair.className = 'hair';
    const outer = curve.getBoundingClientRect();
    hair.style.left = (box.left - outer.left + nearest.x * box.width) + 'px';
    hair.style.top = (box.top - outer.top) + 'px';
    curve.append(hair);
    show(nearest.text, event);
  };
  document.addEventListener('mousemove', (event) => {
    const marked = event.target.closest('[data-tip]');
    const curve = event.target.closest('[data-points]');
    if (marked) show(marked.dataset.tip, event);
    else if (curve) overCurve(curve, event);
    else hide();
  });
  document.addEventListener('mouseleave', hide);
  addEventListener('scroll', hide, {passive: true});
  const openTarget = () => {
    const run = document.getElementById(location.hash.slice(1));
    if (run && run.matches('.run')) {
      run.open = true;
      run.scrollIntoView();
    }
  };
  addEventListener('hashchange', openTarget);
  openTarget();
  const openAll = (open) => () => {
    for (const run of document.querySelectorAll('.run')) run.open = open;
  };
  document.getElementById('open-all').addEventListener('click', openAll(true));
  document.getElementById('close-all').addEventListener('click', openAll(false));
  for (const output of document.querySelectorAll('.run pre')) {
    const toEnd = () => { output.scrollTop = output.scrollHeight; };
    toEnd();
    output.closest('.run').addEventListener('toggle', toEnd, {once: true});
  }
})();
)js";
}

}  // namespace gibbous::report
