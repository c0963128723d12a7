import type { MountSlot } from '#plugin-api/console'
import { create, createButton } from './dom.ts'
import { createFilters } from './filters.ts'
import { createVoteCard } from './vote-card.ts'
import { wordsOf } from './words.ts'

/** Shows the votes of everybody, with filters and downloads. */
const mount: MountSlot = (element, context) => {
  const { client, locale, request, toast } = context
  const words = wordsOf(locale)
  let cursor: string | undefined
  /** Counts the readings: the reply of an earlier one is left out. */
  let reading = 0

  const filters = createFilters(locale, () => void read())
  const list = create('ul')
  Object.assign(list.style, { display: 'grid', gap: '8px', padding: '0', margin: '12px 0' })
  const status = create('p', { class: 'slot-meta', role: 'status' })
  const more = createButton(words.more, () => void read(cursor))

  const read = async (after?: string) => {
    reading += 1
    const own = reading
    more.remove()
    const query = { ...filters.read(), ...(after && { cursor: after }) }
    const { data, response } = await client
      .GET('/admin/feedback', { params: { query } })
      .catch(() => ({ data: undefined, response: undefined }))
    if (own !== reading) return
    if (!data) {
      status.textContent = words.failed
      return
    }
    filters.addAgents(data)
    const cards = data.map((vote) => createVoteCard(vote, locale))
    if (after) list.append(...cards)
    else list.replaceChildren(...cards)
    status.textContent = list.childElementCount === 0 ? words.none : ''
    cursor = readNext(response?.headers.get('link'))
    if (cursor !== undefined) element.append(more)
  }

  const download = async (format: 'csv' | 'jsonl') => {
    try {
      const query = new URLSearchParams({ format })
      for (const [name, value] of Object.entries(filters.read())) query.set(name, String(value))
      const url = URL.createObjectURL((await request('GET', `/admin/feedback?${query}`)) as Blob)
      create('a', { href: url, download: `feedback.${format}` }).click()
      setTimeout(() => URL.revokeObjectURL(url), 60_000)
    } catch (error) {
      toast((error as Error).message)
    }
  }

  const downloads = (['csv', 'jsonl'] as const).map((format) =>
    createButton(`${words.download} ${format.toUpperCase()}`, () => void download(format)),
  )
  const bar = create('div', { class: 'slot-row' }, filters.element, ...downloads)
  element.append(bar, status, list)
  void read()

  return {
    unmount() {
      reading += 1
      element.replaceChildren()
    },
  }
}

/** Reads the cursor of the next page from the header Link. */
const readNext = (link: string | null | undefined): string | undefined => {
  const [, target] = /<([^>]*)>; rel="next"/.exec(link ?? '') ?? []
  return target === undefined
    ? undefined
    : (new URL(target, location.href).searchParams.get('cursor') ?? undefined)
}

export default mount
