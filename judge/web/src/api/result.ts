// The result of a run, as judge/report/result.schema.json has it; only what the pages read.

export type Verdict = 'AC' | 'WA' | 'RTE' | 'TLE' | 'CE' | 'VETO' | 'JE';
/// A number, or the words nan, inf, -inf that JSON has no number for.
export type Value = number | string;
export type Counters = Record<string, number>;
export type Dim3 = [number, number, number];

export interface Frame {
  file: string;
  line: number;
  column: number;
  function: string;
}

export interface Fault {
  kind: string;
  severity: 'error' | 'warning' | 'info';
  message: string;
  kernel: string;
  frames: Frame[];
  thread: Dim3;
  block: Dim3;
  lanes: number;
  waiters: { what: string; threads: string; frames: Frame[] }[];
  related: { what: string; thread: Dim3; block: Dim3; frames: Frame[] }[];
}

export interface Kernel {
  kernel: string;
  grid: Dim3;
  block: Dim3;
  launches: number;
  counters: Counters;
  occupancy?: { blocks: number; warps: number; warps_of: number; registers: number; spilled: number; limit: string };
  dram?: { compulsory_read: number; compulsory_write: number; uncached_read: number; uncached_write: number };
  lines?: { frames: Frame[]; counters: Counters; examples?: Example[] }[];
}

/// One request of a warp: the heaviest of a line, of global memory or of shared memory.
export interface Example {
  space: 'global' | 'shared';
  reads: boolean;
  writes: boolean;
  atomic: boolean;
  tensor: string;
  bytes: number; ///< a lane
  lanes: number; ///< a bit each
  at: number[]; ///< of the lanes that take part, from the tensor's first byte
  phase: number; ///< bytes from a boundary to the tensor's first
  count: number; ///< sectors, or wavefronts
  ideal: number;
}

export interface CaseResult {
  name: string;
  kind: 'normal' | 'boundary';
  about: string;
  rows: number;
  cols: number;
  verdict: Verdict;
  reason: string;
  message: string;
  output: string;
  seconds: number;
  passes: { tensor: string; read: number; write: number }[];
  counters: Counters;
  kernels?: Kernel[];
  worst?: { tensor: string; row: number; column: number; got: Value; expected: Value; error: Value; bound: Value; over: number; total: number };
  fault?: Fault;
  remarks: Fault[];
  notes: string[];
}

export interface Finding {
  file: string;
  line: number;
  column: number;
  severity: 'error' | 'warning' | 'note';
  message: string;
}

export interface Score {
  total: number;
  of: number;
  normal: number;
  normal_of: number;
  boundary: number;
  boundary_of: number;
  efficiency: number;
  efficiency_of: number;
  explanation: number;
  explanation_of: number;
  questions: number;
  questions_of: number;
}

export interface Result {
  task: string;
  file: string;
  verdict: Verdict;
  reason: string;
  message: string;
  accepted: boolean;
  passed: boolean;
  score: Score;
  medal: 'none' | 'lost' | 'bronze' | 'silver' | 'gold';
  medal_reason: string;
  cases: CaseResult[];
  findings: Finding[];
  vetoes: { reason: string; evidence: string }[];
  /// `name` and `mistake` come once the second hint is taken.
  diagnosis?: { name?: string; mistake?: string; question: string; cases: string[] };
  counter_example?: { case: string; rows: number; cols: number; input: string; message: string };
  compile_seconds: number;
  seconds: number;
  provenance: { device: string; toolchain: string; source_hash: string };
}
