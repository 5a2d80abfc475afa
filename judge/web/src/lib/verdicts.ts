// A sign and a tone for each verdict: never the colour alone.
import type { Verdict } from '../api/result';

export const kSigns: Record<Verdict, string> = {
  AC: '✓',
  WA: '✗',
  RTE: '⚠',
  TLE: '∞',
  CE: '✗',
  VETO: '⊘',
  JE: '?',
};

export const tone = (verdict: Verdict): 'good' | 'bad' => (verdict === 'AC' ? 'good' : 'bad');
