import { SignInFailure } from '../sign-in-kind.ts'

/** An object in an answer, whose fields are not checked yet. */
export type WireObject = Readonly<Record<string, unknown>>

/** Longer than any id, name, code or token. */
const MAX_FIELD_CHARS = 4096

const ID = /^[!-~]{1,256}$/

/** True if a value is an object and not an array. */
export const isRecord = (value: unknown): value is WireObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Creates readers of the fields in answers of the named platform; they throw SignInFailure for unusable values. */
export function createFieldReader(name: string) {
  const createFailure = (field: string) =>
    new SignInFailure('exchange', `${name} answers without a usable “${field}”.`)

  /** Reads a text; null if it is missing or blank. */
  const text = (object: WireObject, field: string): string | null => {
    const value = object[field] ?? ''
    if (typeof value !== 'string' || value.length > MAX_FIELD_CHARS) throw createFailure(field)
    return value.trim() || null
  }

  return {
    text,

    /** Reads a required text, such as a token. */
    required(object: WireObject, field: string): string {
      const value = text(object, field)
      if (value === null) throw createFailure(field)
      return value
    },

    /** Reads an identifier, which is used unchanged and so must not contain blanks. */
    id(object: WireObject, field: string, form = ID): string {
      const value = object[field]
      if (typeof value !== 'string' || !form.test(value)) throw createFailure(field)
      return value
    },

    /** Reads the first of these fields that holds an email address; null if none does. */
    email(object: WireObject, ...names: string[]): string | null {
      const addresses = names.map((field) => text(object, field))
      return addresses.find((address) => address !== null && /^[^\s@]+@[^\s@]+$/.test(address)) ?? null
    },

    record(object: WireObject, field: string): WireObject {
      const value = object[field]
      if (!isRecord(value)) throw createFailure(field)
      return value
    },
  }
}

/**
 * Reads the authorization code of a callback, under one of these parameter names. Throws `denied` if there is none,
 * which is how some platforms report that the user refused.
 */
export function readAuthorizationCode(callback: URL, names: readonly string[], platform: string): string {
  const codes = names.flatMap((name) => callback.searchParams.getAll(name)).filter((code) => code !== '')
  if (codes.length === 0) throw new SignInFailure('denied', `${platform} sends no code in the callback.`)
  const [code] = codes as [string]
  if (codes.some((other) => other !== code) || code.length > MAX_FIELD_CHARS)
    throw new SignInFailure(
      'exchange',
      `${platform} sends more than one code, or one that is too long, in the callback.`,
    )
  return code
}

/** The longest answer that is read. */
const MAX_BYTES = 1024 * 1024

/** Reads the whole body of an answer; null, without reading the rest, if it is longer than a megabyte. */
export async function readBody({ body }: Response): Promise<Buffer<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.byteLength
    // Leaving the loop cancels the stream.
    if (length > MAX_BYTES) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
