import type { TypeOf } from '#plugin-api'
import type { SlotContext } from '#plugin-api/console'
import type { voteRow } from '../schemas.ts'
import { create, createThumb } from './dom.ts'
import { nameReason, wordsOf } from './words.ts'

/** A vote as administrators see it. */
export type Vote = TypeOf<typeof voteRow>

/** Makes the card of a vote. */
export function createVoteCard(vote: Vote, locale: SlotContext['locale']): HTMLElement {
  const words = wordsOf(locale)
  const thumb = create('span', { role: 'img', 'aria-label': vote.value === 1 ? words.up : words.down })
  const icon = createThumb(vote.value)
  Object.assign(icon.style, {
    width: '17px',
    height: '17px',
    fill: 'none',
    stroke: 'currentColor',
    strokeWidth: '2',
  })
  thumb.append(icon)
  const time = new Date(vote.created_at * 1000)
  const when = create(
    'time',
    { datetime: time.toISOString(), class: 'slot-meta' },
    time.toLocaleString(locale),
  )
  const by = [vote.username, vote.agent_name, vote.model].filter(Boolean).join(' · ')
  const head = create('div', { class: 'slot-row' }, thumb, create('strong', {}, by), when)
  const card = create('li', { class: 'slot-card' }, head)
  Object.assign(card.style, { display: 'grid', gap: '8px', listStyle: 'none', overflowWrap: 'anywhere' })
  const reasons = vote.reasons.map((reason) => nameReason(locale, reason)).join(', ')
  if (reasons) card.append(create('span', { class: 'slot-meta' }, reasons))
  if (vote.comment) card.append(createText(vote.comment))
  const details = create('details', {}, create('summary', {}, words.details))
  details.append(create('strong', {}, words.question), createText(vote.question))
  details.append(create('strong', {}, words.answer), createText(vote.answer))
  card.append(details)
  return card
}

function createText(text: string): HTMLElement {
  const paragraph = create('p', {}, text)
  Object.assign(paragraph.style, { whiteSpace: 'pre-wrap', margin: '4px 0' })
  return paragraph
}
