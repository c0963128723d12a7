import { useState } from 'react'

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
