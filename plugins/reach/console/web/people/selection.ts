import { useState } from 'react'
import type { Person } from './person.ts'

/** The accounts that are selected, also those that a search does not show. */
export type Selection = ReturnType<typeof useSelection>

export function useSelection() {
  const [people, setPeople] = useState<ReadonlyMap<string, Person>>(new Map())
  return {
    people: [...people.values()],
    has: ({ id }: Person) => people.has(id),
    /** Selects accounts, or no longer. */
    set: (changed: Person[], isSelected: boolean) =>
      setPeople((people) => {
        const next = new Map(people)
        for (const person of changed) {
          if (isSelected) next.set(person.id, person)
          else next.delete(person.id)
        }
        return next
      }),
    clear: () => setPeople(new Map()),
  }
}
