import { FakeRefusal, must } from './fake-feishu-refusal.ts'

// biome-ignore lint/suspicious/noExplicitAny: a card is what the bot sends, and this is where its form is looked at
type Loose = any

/** A card as people see it. */
export interface ShownCard {
  text: string
  buttons: { label: string; value: unknown }[]
  json: string
}

/** A card that is changed by its id. */
export interface CardEntity {
  id: string
  isStreaming: boolean
  sequence: number
  isSent: boolean
  card: Loose
  history: string[]
  /** When it was changed last, in milliseconds. */
  changes: number[]
}

const MAX_BYTES = 30 * 1024
const MAX_TABLES = 5
const TAGS = new Set(['markdown', 'div', 'column_set', 'column', 'button', 'hr'])
const BUTTON_TYPES = new Set(['default', 'primary', 'danger', 'text'])

const parse = (json: unknown): Loose => {
  try {
    return JSON.parse(json as string)
  } catch {
    throw new FakeRefusal(230001, 'content is not a string in json format')
  }
}

const inside = (code: number, detail: string) =>
  `Failed to create card content, ext=ErrCode: ${code}; ErrMsg: ${detail}; ErrorValue: `

/** Counts the tables of a markdown text by their second lines. */
const tablesIn = (text: string) => text.match(/^\s*\|?[\s:-]*-{3,}[\s:|-]*\|[\s:|-]*$/gm)?.length ?? 0

function* elementsIn(elements: Loose): Generator<Loose> {
  for (const element of elements ?? []) {
    yield element
    yield* elementsIn(element.columns)
    yield* elementsIn(element.elements)
  }
}

const textOfElement = ({ tag, content, text }: Loose): string | undefined =>
  tag === 'markdown' ? content : tag === 'div' ? text.content : undefined

/** Looks at a text as the platform does; `code` differs between messages and cards that are changed. */
function checkMarkdown(text: string, code: number, violations: string[]) {
  must(tablesIn(text) <= MAX_TABLES, code, inside(11310, 'card table number over limit'))
  const image = text.replace(/```[\s\S]*?```|`[^`\n]*`/g, '').match(/!\[[^\]]*\]\((?!img_)[^)]*\)/)
  must(!image, code, inside(200570, 'invalid image keys'))
  if (/<at\s/i.test(text)) violations.push('a card mentions somebody')
}

/** Makes a card of JSON, or refuses it with `code`. */
export function readCard(json: unknown, code: number, violations: string[]): Loose {
  const card = parse(json)
  must(Buffer.byteLength(json as string) <= MAX_BYTES, code === 230099 ? 230025 : 200860, 'card too long')
  must(card.schema === '2.0', code, inside(200621, 'schema'))
  must(card.config?.update_multi === true, code, inside(300302, 'update_multi'))
  const elements = [...elementsIn(card.body?.elements)]
  must(elements.length > 0 && elements.length <= 200, code, inside(11310, 'element exceeds the limit'))
  const ids = elements.map(({ element_id }) => element_id).filter(Boolean)
  must(new Set(ids).size === ids.length, code, inside(300301, 'element_id'))
  for (const element of elements) {
    must(TAGS.has(element.tag), code, inside(200861, `tag ${element.tag}`))
    if (element.element_id)
      must(/^[a-z]\w{0,19}$/i.test(element.element_id), code, inside(300301, 'element_id'))
    if (element.tag === 'markdown') checkMarkdown(element.content, code, violations)
    if (element.tag === 'div') must(element.text?.tag === 'plain_text', code, inside(200621, 'div'))
    if (element.tag === 'button') checkButton(element, code)
  }
  return card
}

function checkButton({ type, text, behaviors }: Loose, code: number) {
  must(BUTTON_TYPES.has(type), code, inside(200621, 'button type'))
  must(text?.tag === 'plain_text' && text.content.length <= 100, code, inside(200621, 'button text'))
  const [behavior] = behaviors ?? []
  must(behavior?.type === 'callback', code, inside(200621, 'behaviors'))
  must(typeof behavior.value === 'object', code, inside(200621, 'button value'))
}

/** The visible part of a card. */
export function showCard(card: Loose): ShownCard {
  const elements = [...elementsIn(card.body.elements)]
  return {
    text: elements
      .map(textOfElement)
      .filter((text) => text !== undefined)
      .join('\n'),
    buttons: elements
      .filter(({ tag }) => tag === 'button')
      .map(({ text, behaviors }) => ({ label: text.content, value: behaviors[0].value })),
    json: JSON.stringify(card),
  }
}

/** The cards that are changed by their ids. */
export function createFakeCards(violations: string[]) {
  const entities = new Map<string, CardEntity>()

  function find(id: string): CardEntity {
    const entity = entities.get(id)
    must(entity, 200740, 'The card entity does not exist')
    return entity
  }

  /** Takes the next change of a card. */
  function begin(id: string, sequence: unknown): CardEntity {
    const entity = find(id)
    must(Number.isInteger(sequence) && (sequence as number) > 0, 10002, 'sequence is invalid')
    must((sequence as number) > entity.sequence, 300317, 'sequence number compare failed')
    must((sequence as number) < 2 ** 31, 10002, 'sequence is invalid')
    entity.sequence = sequence as number
    const now = Date.now()
    entity.changes = [...entity.changes.filter((time) => time > now - 1000), now]
    if (entity.changes.length > 10) violations.push('a card was changed more than ten times in a second')
    return entity
  }

  function replace(entity: CardEntity, change: () => void) {
    const oldText = showCard(entity.card).text
    change()
    if (showCard(entity.card).text !== oldText) entity.history.push(oldText)
  }

  return {
    find,

    create({ type, data }: Loose): CardEntity {
      must(type === 'card_json', 10002, 'type is invalid')
      const card = readCard(data, 200220, violations)
      const entity: CardEntity = {
        id: String(7_355_372_766_134_157_000n + BigInt(entities.size)),
        isStreaming: card.config.streaming_mode === true,
        sequence: 0,
        isSent: false,
        card,
        history: [],
        changes: [],
      }
      entities.set(entity.id, entity)
      return entity
    },

    changeText(id: string, elementId: string, { content, sequence }: Loose) {
      const { isStreaming } = find(id)
      must(isStreaming, 300309, 'streaming mode is closed')
      const entity = begin(id, sequence)
      const element = [...elementsIn(entity.card.body.elements)].find(
        ({ element_id }) => element_id === elementId,
      )
      must(element?.tag === 'markdown', 300313, 'element not found')
      must(typeof content === 'string' && content.length > 0, 10002, 'content is invalid')
      must(content.length <= 100_000, 10002, 'content is invalid')
      const { content: _, ...others } = element
      const size = Buffer.byteLength(JSON.stringify([content, others]))
      must(size <= MAX_BYTES, 200860, 'card content exceeds limit')
      checkMarkdown(content, 200220, violations)
      replace(entity, () => {
        element.content = content
      })
    },

    replaceCard(id: string, { card, sequence }: Loose) {
      must(card?.type === 'card_json', 10002, 'type is invalid')
      const next = readCard(card.data, 200220, violations)
      const entity = begin(id, sequence)
      replace(entity, () => {
        entity.card = next
        entity.isStreaming = next.config.streaming_mode === true
      })
    },

    changeSettings(id: string, { settings, sequence }: Loose) {
      const { config } = parse(settings)
      must(config && config.update_multi !== false, 300302, 'update_multi property is false')
      const entity = begin(id, sequence)
      Object.assign(entity.card.config, config)
      if (config.streaming_mode !== undefined) entity.isStreaming = config.streaming_mode
      if (!entity.isStreaming && !entity.card.config.summary?.content)
        violations.push('a finished card has no summary')
    },

    /** Ends the streaming of all cards, as the platform does after ten minutes. */
    stopStreams() {
      for (const entity of entities.values()) entity.isStreaming = false
    },
  }
}
