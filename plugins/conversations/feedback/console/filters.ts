import type { SlotContext } from '#plugin-api/console'
import { create } from './dom.ts'
import type { Vote } from './vote-card.ts'
import { wordsOf } from './words.ts'

const DAY_SECONDS = 86_400

/** The filters of the list, as the query of its route. */
export interface Filters {
  value?: '1' | '-1'
  agent_id?: string
  from?: number
  to?: number
}

/** Makes the row of filters; `onChange` is called after each change. */
export function createFilters(locale: SlotContext['locale'], onChange: () => void) {
  const words = wordsOf(locale)
  const value = createSelect(words.rating, [
    ['', words.all],
    ['1', words.ups],
    ['-1', words.downs],
  ])
  const agent = createSelect(words.agent, [['', words.agents]])
  const from = create('input', { type: 'date', class: 'slot-input' })
  const to = create('input', { type: 'date', class: 'slot-input' })
  for (const input of [value, agent, from, to]) input.addEventListener('change', onChange)
  const element = create('div', { class: 'slot-row' }, value, agent)
  element.append(create('label', { class: 'slot-row' }, words.from, from))
  element.append(create('label', { class: 'slot-row' }, words.to, to))
  const names = new Map<string, string>()

  return {
    element,
    /** Returns the chosen filters; days begin in the time zone of the browser. */
    read(): Filters {
      const [first, last] = [from, to].map((input) => readDay(input.value))
      return {
        ...(value.value && { value: value.value as '1' | '-1' }),
        ...(agent.value && { agent_id: agent.value }),
        ...(first !== undefined && { from: first }),
        ...(last !== undefined && { to: last + DAY_SECONDS - 1 }),
      }
    },
    /** Offers the agents of these votes. */
    addAgents(votes: readonly Vote[]) {
      for (const { agent_id, agent_name } of votes) {
        if (names.has(agent_id)) continue
        names.set(agent_id, agent_name)
        agent.append(create('option', { value: agent_id }, agent_name))
      }
    },
  }
}

const readDay = (text: string): number | undefined =>
  text ? Math.floor(new Date(`${text}T00:00:00`).getTime() / 1000) : undefined

function createSelect(label: string, options: readonly (readonly [string, string])[]): HTMLSelectElement {
  const select = create('select', { class: 'slot-input', 'aria-label': label })
  for (const [value, word] of options) select.append(create('option', { value }, word))
  return select
}
