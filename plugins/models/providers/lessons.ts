import type { LanguageModelV3Message } from '@ai-sdk/provider'
import type {
  ExplainedFailure,
  Locale,
  LocalizedText,
  ModelCallOptions,
  ModelDescription,
  ProviderKind,
  UpstreamReport,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { ProviderDocument } from './types.ts'

/** A change that the calls of a model need, as a refusal of its upstream has shown. */
export interface Lesson {
  model: string
  /** The name of an adaptation of the kind, or WITHOUT_PICTURES. */
  change: string
}

/** The change for models that do not take pictures. */
const WITHOUT_PICTURES = 'without_pictures'

const PICTURES_LABEL: LocalizedText = { en: 'No pictures', zh: '不发送图片' }

/** The most lessons of one provider; older ones are forgotten. */
const MAX_LESSONS = 200

/** The most changes that one call tries out. */
const MAX_TRIED = 5

const ABOUT_PICTURES = /image|picture|vision|visual|multi-?modal|mmproj|图片|图像|视觉|多模态/i
/** A refusal of a single picture, which says nothing of others. */
const ABOUT_ONE_PICTURE =
  /too (large|big|small)|exceed|size|dimension|resolution|corrupt|damaged|decod|could not process|download|base64/i

/** One call, with the changes of its model and those that it tries out after a refusal. */
export interface AdaptedCall {
  readonly options: ModelCallOptions
  /** Changes the call after a refusal, if that may help; true if it is to be repeated. */
  adapt(report: UpstreamReport, failure: ExplainedFailure): boolean
  /** Remembers what the call has tried out, once the upstream accepts it; true if it went without its pictures. */
  accept(): boolean
}

/** Stores a lesson with its provider, for the next start and for other servers. */
export async function storeLesson(
  { _id, name }: Pick<ProviderDocument, '_id' | 'name'>,
  lesson: Lesson,
  {
    collections: { providers },
    visibleProviders,
    log,
  }: Pick<Cradle, 'collections' | 'visibleProviders' | 'log'>,
): Promise<void> {
  log.info({ provider: name, ...lesson }, 'the calls of a model are changed, since its upstream refused them')
  await providers.updateOne(
    { _id, learned: { $not: { $elemMatch: lesson } } },
    { $push: { learned: { $each: [lesson], $slice: -MAX_LESSONS } } },
  )
  visibleProviders.forget()
}

/** Creates the lessons of a model, the changes that its calls need; `learned` are the changes that are known from the start. */
export function createLessons(
  { adaptations = {} }: Pick<ProviderKind, 'adaptations'>,
  learned: readonly string[],
  onLearned: (change: string) => void,
) {
  const changes = new Set(learned)
  const remember = (change: string) => {
    if (changes.has(change)) return
    changes.add(change)
    onLearned(change)
  }

  const apply = (options: ModelCallOptions, applied: ReadonlySet<string>): ModelCallOptions =>
    applied.size === 0
      ? options
      : {
          ...options,
          adaptations: [...applied],
          ...(applied.has(WITHOUT_PICTURES) && { prompt: options.prompt.map(withoutPictures) }),
        }

  return {
    get withoutPictures(): boolean {
      return changes.has(WITHOUT_PICTURES)
    },
    /** Begins a call. */
    begin(options: ModelCallOptions): AdaptedCall {
      const tried = new Map<string, { isLasting: boolean }>()
      const current = () => new Set([...changes, ...tried.keys()])
      return {
        get options() {
          return changes.size + tried.size === 0 ? options : apply(options, current())
        },
        adapt(report, { reason, is_too_long }) {
          if (tried.size === MAX_TRIED) return false
          const applied = current()
          const needed = Object.entries(adaptations).find(
            ([change, { isNeeded }]) => !applied.has(change) && isNeeded(report),
          )
          if (needed) {
            tried.set(needed[0], { isLasting: true })
            return true
          }
          const isRefusal =
            reason === 'bad_request' || reason === 'model_not_found' || isPictureFailure(report)
          // Pictures may make a request too large, but not a conversation too long.
          if (is_too_long && report.status !== 413) return false
          if (!isRefusal || applied.has(WITHOUT_PICTURES) || !options.prompt.some(hasPictures)) return false
          const { message } = report
          const isLasting = ABOUT_PICTURES.test(message) && !ABOUT_ONE_PICTURE.test(message)
          tried.set(WITHOUT_PICTURES, { isLasting })
          return true
        },
        accept() {
          for (const [change, { isLasting }] of tried) if (isLasting) remember(change)
          return tried.delete(WITHOUT_PICTURES)
        },
      }
    },
  }
}

/** Returns the description of a model as its upstream's refusals have corrected it. */
export const applyLessons = (
  { learned = [] }: Pick<ProviderDocument, 'learned'>,
  model: ModelDescription,
): ModelDescription =>
  learned.some(({ model: id, change }) => id === model.id && change === WITHOUT_PICTURES)
    ? { ...model, input: ['text'] }
    : model

/** Describes the lessons of a provider for a person, by model. */
export function describeLessons(
  { learned = [] }: ProviderDocument,
  kind: ProviderKind | undefined,
  locale: Locale,
): { model: string; changes: { name: string; label: string }[] }[] {
  const labelOf = (change: string) =>
    (change === WITHOUT_PICTURES ? PICTURES_LABEL : kind?.adaptations?.[change]?.label)?.[locale] ?? change
  const models = [...new Set(learned.map(({ model }) => model))]
  return models.map((model) => ({
    model,
    changes: learned
      .filter((lesson) => lesson.model === model)
      .map(({ change: name }) => ({ name, label: labelOf(name) })),
  }))
}

/** The lessons that a change leaves: none for another address, nor for pictures if the model is said to take them. */
export function keepLessons(
  { learned = [], base_url }: ProviderDocument,
  changes: {
    base_url?: string | null
    models?: readonly { id: string; input?: readonly string[] | null }[]
    learned?: readonly unknown[]
  },
): Lesson[] {
  if (changes.learned || (changes.base_url !== undefined && changes.base_url !== base_url)) return []
  const seeing = new Set(
    changes.models?.flatMap(({ id, input }) => (input?.includes('image') ? [id] : [])) ?? [],
  )
  return learned.filter(({ model, change }) => change !== WITHOUT_PICTURES || !seeing.has(model))
}

/** Some servers answer with a status of an outage if they cannot read a picture. */
const isPictureFailure = ({ status = 0, message }: UpstreamReport) =>
  status >= 500 && ABOUT_PICTURES.test(message)

const isPicture = (part: { type: string; mediaType?: string }) =>
  part.type === 'file' && part.mediaType?.startsWith('image/') === true

const hasPictures = ({ role, content }: LanguageModelV3Message) => role === 'user' && content.some(isPicture)

const withoutPictures = (message: LanguageModelV3Message): LanguageModelV3Message =>
  message.role === 'user' && hasPictures(message)
    ? { ...message, content: message.content.filter((part) => !isPicture(part)) }
    : message
