import type { Access } from './stream.js';

/// An access whose bytes count from a boundary, `phase` bytes before the tensor's first.
export type Pictured = Pick<Access, 'space' | 'lanes' | 'bytes' | 'at'> & { phase?: number };

/// The labels of a picture.
export interface PictureWords {
  sectors: string;
  banks: string;
  lane(lane: number, at: number): string;
  off(lane: number): string;
  sector(sector: number, from: number, to: number, used: number): string;
  bank(bank: number, count: number): string;
}

export function costOf(access: Pictured): { unit: 'sector' | 'wavefront'; count: number; least: number };
export function unitsOf(access: Pictured): { at: number; lanes: number[] }[];
export function picture(access: Pictured, words?: PictureWords): string;
