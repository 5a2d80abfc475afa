// The drawing: uPlot on a canvas, both axes logarithmic. What it shows is also a table, so that nothing depends on seeing it.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Roofline } from '../api/attempts';
import { ridge, roofAt, type Point } from './points';

export interface PlotWords {
  intensity: string;
  rate: string;
  roof: string;
}

const kHeight = 300, kGiga = 1e9, kSize = 8, kChosen = 13;

/// A custom property as the colour that it is in the theme of `node`: canvases know no light-dark().
function colour(node: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  node.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const power = (n: number): string => (n >= 1 ? String(n) : n.toPrecision(1));

export interface Plot {
  choose(index: number): void;
  /// The point closest to a place of the window.
  nearest(x: number, y: number): number | null;
  remove(): void;
}

export function draw(node: HTMLElement, roofline: Roofline, points: Point[], words: PlotWords): Plot {
  const [ink, rule, accent, gold, good] = ['--text', '--rule', '--accent', '--gold', '--good'].map((name) => colour(node, name)) as [string, string, string, string, string];
  let chosen = points.length - 1;
  const xs = points.flatMap((p) => [p.uncached.intensity, p.once.intensity]);
  // From one power of ten to another: uPlot counts the lines of its grid from the end of the scale.
  const kRoom = 1.2;
  const below = (n: number): number => 10 ** Math.floor(Math.log10(n / kRoom)), above = (n: number): number => 10 ** Math.ceil(Math.log10(n * kRoom));
  const low = below(Math.min(...xs, ridge(roofline))), high = above(Math.max(...xs, ridge(roofline)));
  const slowest = Math.min(...points.map((p) => p.uncached.rate)) / kGiga, peak = roofline.warp_instructions_per_second / kGiga;
  const at = [...new Set([low, ridge(roofline), high, ...xs])].sort((a, b) => a - b);
  const roof = at.map((x) => roofAt(roofline, x) / kGiga);
  const marks = (u: uPlot): void => {
    const { ctx } = u;
    ctx.save();
    const scale = devicePixelRatio;
    points.forEach((p, i) => {
      const place = (side: Point['once']): [number, number] => [u.valToPos(side.intensity, 'x', true), u.valToPos(side.rate / kGiga, 'y', true)];
      const [x0, y0] = place(p.uncached), [x1, y1] = place(p.once);
      const here = i === chosen, size = (here ? kChosen : kSize) * scale;
      // From one bound to the other along the roof: the kernel's counts allow all between.
      ctx.strokeStyle = here ? gold : accent;
      ctx.lineWidth = (here ? 5 : 3) * scale;
      ctx.globalAlpha = here ? 1 : 0.35;
      ctx.beginPath();
      ctx.moveTo(x0, y0);
      const rx = u.valToPos(ridge(roofline), 'x', true), ry = u.valToPos(roofline.warp_instructions_per_second / kGiga, 'y', true);
      if (x0 < rx && x1 > rx) ctx.lineTo(rx, ry);
      ctx.lineTo(x1, y1);
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.lineWidth = 2 * scale;
      ctx.fillStyle = accent;
      ctx.strokeStyle = ink;
      ctx.beginPath();
      ctx.arc(x0, y0, size / 2, 0, 2 * Math.PI);
      ctx.fill();
      if (here) ctx.stroke();
      ctx.strokeStyle = good;
      ctx.strokeRect(x1 - size / 2, y1 - size / 2, size, size);
      if (here) {
        ctx.fillStyle = ink;
        ctx.font = `bold ${12 * scale}px system-ui, sans-serif`;
        ctx.textAlign = 'center';
        ctx.fillText(String(p.number), x0, y0 + 20 * scale);
      }
    });
    ctx.restore();
  };
  // uPlot's own filter leaves out labels where it finds the axis too short; ours are few.
  const axis = { filter: (_u: uPlot, splits: number[]): number[] => splits, stroke: ink, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1 }, font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif' };
  const decades = (_u: uPlot, splits: number[]): (string | null)[] => splits.map((n) => (Math.abs(Math.log10(n) - Math.round(Math.log10(n))) < 1e-9 ? power(n) : null));
  const plot = new uPlot(
    {
      width: node.clientWidth,
      height: kHeight,
      cursor: { show: false },
      legend: { show: false },
      scales: { x: { distr: 3, time: false, range: [low, high] }, y: { distr: 3, range: [below(slowest), above(peak)] } },
      axes: [{ ...axis, label: words.intensity, values: decades, size: 34, labelSize: 22 }, { ...axis, label: words.rate, values: decades, size: 46, labelSize: 22 }],
      series: [{}, { label: words.roof, stroke: ink, width: 2, points: { show: false } }],
      hooks: { draw: [marks] },
    },
    [at, roof],
    node,
  );
  const size = new ResizeObserver(() => plot.setSize({ width: node.clientWidth, height: kHeight }));
  size.observe(node);
  return {
    choose(index) {
      chosen = index;
      plot.redraw(false);
    },
    nearest(x, y) {
      const box = plot.over.getBoundingClientRect();
      let best: number | null = null, least = Infinity;
      points.forEach((p, i) => {
        for (const side of [p.uncached, p.once]) {
          const far = Math.hypot(box.left + plot.valToPos(side.intensity, 'x') - x, box.top + plot.valToPos(side.rate / kGiga, 'y') - y);
          if (far < least) [best, least] = [i, far];
        }
      });
      return best;
    },
    remove() {
      size.disconnect();
      plot.destroy();
    },
  };
}
