import { useState } from 'react'
import type { Values } from './schema-form-schema.ts'

/** The values of a form while a person edits them, and what they were before. */
export function useDraft<T extends object>(stored: T) {
  const [base, setBase] = useState(stored)
  const [value, setValue] = useState(stored)
  return {
    value,
    base,
    isDirty: JSON.stringify(value) !== JSON.stringify(base),
    /** Changes some of the values. */
    change: (changes: Partial<T>) => setValue((value) => ({ ...value, ...changes })),
    /** Takes over what the server has stored. */
    accept(stored: T) {
      setBase(stored)
      setValue(stored)
    },
    reset: () => setValue(base),
  }
}

/** The values of `next` that differ from `base`, as a body of PATCH. */
export function listChanges<T extends object>(base: T, next: T): Partial<T> {
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(base[name as keyof T])
  return Object.fromEntries(Object.entries(next).filter(isChanged)) as Partial<T>
}

/** The changes from `base` to `next` as RFC 7396 has them: null removes a value. */
export function mergePatch(base: Values, next: Values): Values {
  const patch: Values = {}
  for (const name of new Set([...Object.keys(base), ...Object.keys(next)])) {
    const [previous, after] = [base[name], next[name]]
    if (JSON.stringify(previous) === JSON.stringify(after)) continue
    patch[name] = isValues(previous) && isValues(after) ? mergePatch(previous, after) : (after ?? null)
  }
  return patch
}

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a free name: the base name, or the base name with a number. */
export function findFreeName(baseName: string, names: string[]): string {
  let name = baseName
  for (let number = 2; names.includes(name); number++) name = `${baseName}-${number}`
  return name
}
