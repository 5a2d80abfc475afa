// Lines: runs of events of one warp at one place with the same lanes. Stepping goes from one to the next.
import { countUpTo } from "./stream.js";

export class Lines {
  /// `into`: lines of headers are steps too, otherwise they count as the line of the submission that led there. `single`: an instruction is a step.
  constructor(model, { into, single }) {
    this.model = model;
    this.into = into;
    this.groups = [];  // {warp, first, last, events, place, mask}, by first event
    this.ofWarp = Array.from({ length: model.warps }, () => []);  // warp -> indices into groups
    this.groupOf = new Array(model.events.length);                // event -> index into groups
    this.visits = model.data.files.map(() => new Map());          // file -> Map(line -> events)
    const open = new Array(model.warps);
    model.events.forEach((event, i) => {
      const before = open[event.warp];
      const place = this.placeOf(event.site) || (before && before.place) || [0, 1];
      const moved = !before || before.place[0] !== place[0] || before.place[1] !== place[1];
      const same = !moved && !single && before.mask === event.mask;
      const group = same ? before : { warp: event.warp, first: i, last: i, place, mask: event.mask, events: [] };
      if (!same) {
        open[event.warp] = group;
        this.ofWarp[event.warp].push(this.groups.length);
        this.groups.push(group);
        const at = this.visits[place[0]];
        if (moved || !single) (at.get(place[1]) ?? at.set(place[1], []).get(place[1])).push(i);
      }
      group.events.push(i);
      group.last = i;
      this.groupOf[i] = same ? this.groupOf[group.first] : this.groups.length - 1;
    });
  }

  /// [file, line] of a site: the innermost line that there is a source for, or the one in the submission that led there.
  placeOf(site) {
    const { files, sites } = this.model.data, { at } = sites[site];
    const frame = (this.into ? undefined : at.find(([file]) => files[file].own)) || at[0];
    return frame ? [frame[0], frame[1]] : undefined;
  }

  /// The group that an event belongs to.
  at(event) { return this.groups[this.groupOf[event]]; }

  /// The group of a warp at or before event t; undefined when it has not begun.
  current(warp, t) {
    const mine = this.model.ofWarp[warp], done = countUpTo(mine, t);
    return done ? this.at(mine[done - 1]) : undefined;
  }

  /// The group `by` steps away: of the warp, or with `follow` of whichever warp runs then. Undefined beyond the ends.
  neighbour(warp, t, by, follow) {
    if (follow) return this.groups[this.groupOf[t] + by];
    const mine = this.ofWarp[warp], group = this.current(warp, t);
    if (!group) return by > 0 ? this.groups[mine[0]] : undefined;
    return this.groups[mine[mine.indexOf(this.groupOf[group.first]) + by]];
  }
  first(warp, follow) { return this.groups[follow ? 0 : this.ofWarp[warp][0]]; }
  last(warp, follow) { return this.groups[(follow ? this.groups.length : this.ofWarp[warp].at(-1) + 1) - 1]; }

  /// "reduce.cuh:62", where an event stands.
  name(event) {
    const [file, line] = this.at(event).place;
    return `${this.model.data.files[file].name.split("/").pop()}:${line}`;
  }
}
