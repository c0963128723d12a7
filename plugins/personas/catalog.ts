import type { PersonaCode, Profile } from './profile.ts'
import { defaultProfile } from './profiles/default.ts'
import { enfj } from './profiles/enfj.ts'
import { enfp } from './profiles/enfp.ts'
import { entj } from './profiles/entj.ts'
import { entp } from './profiles/entp.ts'
import { esfj } from './profiles/esfj.ts'
import { esfp } from './profiles/esfp.ts'
import { estj } from './profiles/estj.ts'
import { estp } from './profiles/estp.ts'
import { infj } from './profiles/infj.ts'
import { infp } from './profiles/infp.ts'
import { intj } from './profiles/intj.ts'
import { intp } from './profiles/intp.ts'
import { isfj } from './profiles/isfj.ts'
import { isfp } from './profiles/isfp.ts'
import { istj } from './profiles/istj.ts'
import { istp } from './profiles/istp.ts'

const byCode: Record<PersonaCode, Profile> = {
  INTJ: intj,
  INTP: intp,
  ENTJ: entj,
  ENTP: entp,
  INFJ: infj,
  INFP: infp,
  ENFJ: enfj,
  ENFP: enfp,
  ISTJ: istj,
  ISFJ: isfj,
  ESTJ: estj,
  ESFJ: esfj,
  ISTP: istp,
  ISFP: isfp,
  ESTP: estp,
  ESFP: esfp,
  _default: defaultProfile,
}

/** The profiles in their canonical order: the sixteen types, then the profile of no type. */
export const PROFILES: readonly Profile[] = Object.values(byCode)

const byLowerCase = new Map(PROFILES.map((profile) => [profile.code.toLowerCase(), profile]))

/** The profile of a code in whatever case, or undefined. */
export function findProfile(code: string): Profile | undefined {
  return byLowerCase.get(code.toLowerCase())
}
