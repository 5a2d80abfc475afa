import type { Access } from './stream.js';

/// The labels of a picture.
export interface PictureWords {
  sectors: string;
  banks: string;
  lane(lane: number, at: number): string;
  off(lane: number): string;
  sector(sector: number, from: number, to: number): string;
  bank(bank: number, count: number): string;
}

export function costOf(access: Access): { unit: 'sector' | 'wavefront'; count: number; least: number };
export function unitsOf(access: Access): { at: number; lanes: number[] }[];
export function picture(access: Access, words?: PictureWords): string;
