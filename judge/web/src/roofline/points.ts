// Where an attempt stands under the roofs. The virtual GPU has no clock, so nothing here is measured: from what a run counted follows how fast
// no kernel with these counts can be passed, on a device with these peaks.
// An instruction roofline (Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019) has warp instructions for each sector
// of 32 bytes on its x axis, and warp instructions a second on its y axis.
import type { Attempt, Roofline } from '../api/attempts';

export interface Point {
  id: number;
  /// Counts from 1, the oldest first.
  number: number;
  started_ms: number;
  verdict: string | null;
  warpInstructions: number;
  /// If no cache ever hits: every sector that lanes asked for is moved.
  uncached: Side;
  /// If caches keep everything: every sector once. By the run's own count per line, else by the shapes of the tensors.
  once: Side;
  ownLeast: boolean;
}

export interface Side {
  sectors: number;
  intensity: number; ///< warp instructions a sector
  rate: number; ///< warp instructions a second: the bound
  seconds: number; ///< at least
  limit: 'memory' | 'instructions';
}

/// The most warp instructions a second at an intensity.
export const roofAt = (roofline: Roofline, intensity: number): number => Math.min(roofline.warp_instructions_per_second, intensity * roofline.sectors_per_second);
/// Where the two roofs meet.
export const ridge = (roofline: Roofline): number => roofline.warp_instructions_per_second / roofline.sectors_per_second;

function side(roofline: Roofline, warpInstructions: number, sectors: number): Side {
  const intensity = warpInstructions / sectors, rate = roofAt(roofline, intensity);
  return { sectors, intensity, rate, seconds: warpInstructions / rate, limit: intensity < ridge(roofline) ? 'memory' : 'instructions' };
}

/// Attempts that counted something in the case of the roofline, the oldest first.
export function pointsOf(attempts: Attempt[], roofline: Roofline): Point[] {
  return attempts
    .filter((one) => one.counts && one.counts.sectors > 0 && one.case === roofline.case)
    .sort((a, b) => a.started_ms - b.started_ms)
    .map((one, index) => {
      const counts = one.counts as NonNullable<Attempt['counts']>;
      const least = counts.least_sectors ?? roofline.least_sectors;
      return {
        id: one.id, number: index + 1, started_ms: one.started_ms, verdict: one.verdict, warpInstructions: counts.warp_instructions,
        uncached: side(roofline, counts.warp_instructions, counts.sectors),
        once: side(roofline, counts.warp_instructions, Math.max(1, Math.min(least, counts.sectors))),
        ownLeast: counts.least_sectors !== null,
      };
    });
}

/// 1.25 µs
export function time(seconds: number): string {
  const [n, unit] = seconds < 1e-6 ? [seconds * 1e9, 'ns'] : seconds < 1e-3 ? [seconds * 1e6, 'µs'] : [seconds * 1e3, 'ms'];
  return `${n.toPrecision(3)} ${unit}`;
}
