// The types that plugins add to, and those that follow from them.
export type { ErrorCode } from '../errors.ts'
export type { LimitName } from '../security/limits.ts'
export * from './additions.ts'
export * from './cradle.ts'
export * from './extension-points.ts'
export type { GuardRequest } from './guard.ts'
