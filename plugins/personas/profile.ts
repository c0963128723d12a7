import type { LocalizedText } from '#kernel'
import type { PERSONA_CODES } from '#plugin-api'

/** A value of `persona_mbti`. */
export type PersonaCode = (typeof PERSONA_CODES)[number]

/** The pole that a profile leans to, and how far in percent: 50 is the middle, 85 the most. */
export type Leaning<Pole extends string> = [pole: Pole, percent: number]

/** How an assistant of a profile speaks and acts; the texts are instructions to it. */
export interface Behavior {
  answer_style: LocalizedText
  casual_chat: LocalizedText
  conflict: LocalizedText
  creativity: LocalizedText
  emotion: LocalizedText
  planning: LocalizedText
}

/** One persona. */
export interface Profile {
  code: PersonaCode
  name: LocalizedText
  nickname: LocalizedText
  /** One short sentence, for lists. */
  description: LocalizedText
  summary: LocalizedText
  /** Single traits, as adjectives or a little more. */
  descriptors: LocalizedText[]
  dimensions: {
    ei: Leaning<'E' | 'I'>
    sn: Leaning<'S' | 'N'>
    tf: Leaning<'T' | 'F'>
    jp: Leaning<'J' | 'P'>
  }
  behavior: Behavior
  /** As `#RRGGBB`. */
  color: string
  /** One glyph. */
  symbol: string
}
