import { randomInt } from 'node:crypto'

/** No characters that are easily taken for another. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz'
const DIGITS = '23456789'

/** A password that can be read aloud, of about 90 bits: four groups of five characters that end in a digit. */
export function makePassword(): string {
  const pick = (from: string) => from[randomInt(from.length)]!
  const group = () => Array.from({ length: 4 }, () => pick(LETTERS + DIGITS)).join('') + pick(DIGITS)
  const password = Array.from({ length: 4 }, group).join('-')
  return /[a-z]/.test(password) ? password : makePassword()
}
