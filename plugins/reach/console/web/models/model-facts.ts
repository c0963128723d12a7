import type { components } from '#client'
import { formatCompact, formatMoney } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'

type Model = components['schemas']['Model']

const KINDS = {
  embedding: 'models.embedding',
  image: 'models.kind_image',
  speech: 'models.kind_speech',
  transcription: 'models.kind_transcription',
  rerank: 'models.kind_rerank',
} as const

/** The facts of a model that are known, in a line: its purpose unless it chats, window, pictures, tools and price. */
export function describeModel({
  model_kind: kind,
  context_window,
  input,
  tools,
  price,
}: Pick<Model, 'model_kind' | 'context_window' | 'input' | 'tools'> & Partial<Pick<Model, 'price'>>): string {
  const facts = [
    kind !== 'chat' && t(KINDS[kind]),
    context_window !== null && t('models.window', { count: formatCompact(context_window) }),
    input?.includes('image') && t('models.pictures'),
    tools !== null && kind === 'chat' && t(tools ? 'models.tools' : 'models.no_tools'),
    price && describePrice(price),
  ]
  return facts.filter(Boolean).join(' · ')
}

function describePrice(price: NonNullable<Model['price']>): string | undefined {
  const { input, output, image, million_characters, minute, currency } = price
  const money = (amount: number) => formatMoney(amount, currency)
  if (image != null) return t('models.price_image', { price: money(image) })
  if (million_characters != null) return t('models.price_characters', { price: money(million_characters) })
  if (minute != null) return t('models.price_minute', { price: money(minute) })
  if (input === null || output === null) return undefined
  if (input === 0 && output === 0) return t('models.free')
  return t('models.price', { input: money(input), output: money(output) })
}
