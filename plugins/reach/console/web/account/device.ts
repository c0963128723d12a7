import { t } from '../i18n/words.ts'

/** Programs by the mark in their `User-Agent`; a later mark would also match the earlier ones. */
const PROGRAMS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
] as const
const SYSTEMS = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const

const find = (names: readonly (readonly [RegExp, string])[], text: string) =>
  names.find(([mark]) => mark.test(text))?.[1]

/** Describes a device in words, "Firefox on Windows", by what its browser says of itself. */
export function describeDevice(user_agent: string | null): string {
  const program = find(PROGRAMS, user_agent ?? '')
  const system = find(SYSTEMS, user_agent ?? '')
  if (program && system) return t('account.device', { program, system })
  return program ?? system ?? user_agent?.split(/[\s/]/)[0] ?? t('account.unknown_device')
}

/** True for phones. */
export const isPhone = (user_agent: string | null) => /iPhone|Android.*Mobile/.test(user_agent ?? '')
