import type { SentFrame } from './frames.ts'

/** The ends of an answer in words; an answer that is complete needs none. */
const ENDS: Record<SentFrame<'done'>['stop_reason'], string> = {
  end: '',
  length: 'cut off at the length limit',
  filtered: 'withheld or cut by the filter of the provider',
  refused: 'refused by the model',
  max_steps: 'step limit reached',
  stopped: 'stopped',
}

/** Describes the end of an answer in words; a reason of a newer server as it is. */
export const describeEnd = (reason: SentFrame<'done'>['stop_reason']): string => ENDS[reason] ?? reason
