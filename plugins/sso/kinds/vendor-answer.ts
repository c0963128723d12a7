import { SignInFailure } from '../sign-in-kind.ts'

/** An object of an answer, of which nothing is known. */
export type WireObject = Readonly<Record<string, unknown>>

/** More than any id, name, code or token has. */
const MAX_LENGTH = 4096

const ID = /^[!-~]{1,256}$/

/** Whether a value is an object, and no array. */
export const isRecord = (value: unknown): value is WireObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the fields of answers of the platform of this name; what is not as it should be is a SignInFailure. */
export function createFieldReader(name: string) {
  const absurd = (field: string) =>
    new SignInFailure('exchange', `${name} answers without a usable “${field}”.`)

  /** A text, or null where there is none. */
  const text = (object: WireObject, field: string): string | null => {
    const value = object[field] ?? ''
    if (typeof value !== 'string' || value.length > MAX_LENGTH) throw absurd(field)
    return value.trim() || null
  }

  return {
    text,

    /** A text that must be there, such as a token. */
    required(object: WireObject, field: string): string {
      const value = text(object, field)
      if (value === null) throw absurd(field)
      return value
    },

    /** A text that says who somebody is: it is taken as it is, so it may not have what texts are tidied of. */
    id(object: WireObject, field: string, form = ID): string {
      const value = object[field]
      if (typeof value !== 'string' || !form.test(value)) throw absurd(field)
      return value
    },

    /** The first of these fields that is an address for mail; null where none is. */
    email(object: WireObject, ...names: string[]): string | null {
      const addresses = names.map((field) => text(object, field))
      return addresses.find((address) => address !== null && /^[^\s@]+@[^\s@]+$/.test(address)) ?? null
    },

    record(object: WireObject, field: string): WireObject {
      const value = object[field]
      if (!isRecord(value)) throw absurd(field)
      return value
    },
  }
}

/** The code that somebody came back with, under one of these names. Without one they refused: some platforms say it so. */
export function codeIn(callback: URL, names: readonly string[], platform: string): string {
  const codes = names.flatMap((name) => callback.searchParams.getAll(name)).filter((code) => code !== '')
  if (codes.length === 0) throw new SignInFailure('denied', `${platform} sends somebody back without a code.`)
  const [code] = codes as [string]
  if (codes.some((other) => other !== code) || code.length > MAX_LENGTH)
    throw new SignInFailure('exchange', `${platform} sends somebody back with more than a code.`)
  return code
}
