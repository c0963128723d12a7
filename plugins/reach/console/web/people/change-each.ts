import { readFailure } from '../server/failure.ts'
import { refresh } from '../server/send.ts'
import type { Person } from './person.ts'

/** An account that could not be changed, with the reason in words. */
export interface Refusal {
  person: Person
  reason: string
}

/** Requests that run at the same time. */
const AT_ONCE = 4

/** Changes accounts one by one, and returns those for whom it failed. One failure does not stop the others. */
export async function changeEach(
  people: readonly Person[],
  change: (person: Person) => Promise<unknown>,
): Promise<Refusal[]> {
  const refusals: Refusal[] = []
  const waiting = [...people]
  const work = async () => {
    for (let person = waiting.shift(); person; person = waiting.shift()) {
      try {
        await change(person)
      } catch (error) {
        refusals.push({ person, reason: readFailure(error).message })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  await refresh('/users', '/groups', '/admin/overview')
  return refusals
}
