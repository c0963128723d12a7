import type { Chance } from './random.ts'

/** The number of marks: one for each account, and two for people who write in channels. */
const MARKS = 100
const MARK = /k(\d\d)w[0-9a-f]{6}/g

/** Returns a word that nobody has written yet; it names the account that it belongs to. */
export const makeMark = (index: number, { int }: Chance): string =>
  `k${String(index % MARKS).padStart(2, '0')}w${int(0, 0xff_ff_ff).toString(16).padStart(6, '0')}`

/** Lists the accounts whose marks a value contains, at any depth. */
export function listMarked(value: unknown): number[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return [...new Set([...(text ?? '').matchAll(MARK)].map(([, index]) => Number(index)))].sort(
    (one, other) => one - other,
  )
}

/** Returns the first mark in a text. */
export const findMark = (text: string): string | undefined => text.match(MARK)?.[0]
