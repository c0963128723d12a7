import { AppError } from '#kernel'
import type { EntryName } from './types.ts'

type Refusal = 'DISABLED' | 'NO_PUBLIC_URL' | 'CODE_INVALID'

const REASONS: Record<Refusal, string> = {
  DISABLED: 'disabled',
  NO_PUBLIC_URL: 'misconfigured',
  CODE_INVALID: 'code',
}

/** The code of an error in the table, by the names that the caller used. */
export const refusalCode = (entry: EntryName, refusal: Refusal) =>
  `${entry.toUpperCase() as Uppercase<EntryName>}_${refusal}` as const

/** The error that a caller of these names is answered with. */
export const refuseAt = (entry: EntryName, refusal: Refusal): AppError =>
  new AppError(refusalCode(entry, refusal), { reason: REASONS[refusal] })
