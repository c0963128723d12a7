import type { LanguageModelV3Prompt } from '@ai-sdk/provider'
import {
  AppError,
  CHARACTERS_PER_TOKEN,
  type ChatFilter,
  type FilterContext,
  type FilterMessage,
  type Locale,
} from '#plugin-api'
import type {
  FinishPart,
  ModelCall,
  ModelPart,
  Models,
  OpenedModel,
} from '../../../models/providers/types.ts'
import { measurePrompt } from '../loop/shortened-prompt.ts'
import type { Cradle } from '../manifest.ts'
import { createFilterCalls, type FilterScope } from './filter-calls.ts'
import { explainRefusal, FilterRefusal } from './filter-refusal.ts'
import { AnswerWithheld, filterAnswer } from './filtered-answer.ts'
import { applyMessages, toFilterMessages } from './prompt-messages.ts'
import { readMessages, readText } from './results.ts'

type Purpose = FilterContext['purpose']

/** A filter that sees requests, and one that sees replies. */
type RequestFilter = ChatFilter & Required<Pick<ChatFilter, 'request'>>
type ReplyFilter = ChatFilter & Required<Pick<ChatFilter, 'reply'>>

/** The filters between people and models. */
export type ChatFilters = ReturnType<typeof createChatFilters>

/** Creates the filters from those that plugins have added. */
export function createChatFilters({ extensions, log }: Pick<Cradle, 'extensions' | 'log'>) {
  const callFilter = createFilterCalls({ log })

  /** Returns a prompt as the filters pass it. */
  const filterRequest = async (
    filters: readonly RequestFilter[],
    { options: { prompt, abortSignal: signal }, purpose }: ModelCall,
    scope: FilterScope,
  ): Promise<LanguageModelV3Prompt> => {
    const original = toFilterMessages(prompt)
    let messages: readonly FilterMessage[] = original
    for (const filter of filters) {
      const shown = messages
      messages = await callFilter({
        filter,
        act: (signal) => filter.request({ ...toFacts(scope, purpose), messages: shown, signal }),
        read: (result) => readMessages(result.messages, shown),
        unfiltered: shown,
        scope,
        signal,
      })
    }
    return messages === original ? prompt : applyMessages(prompt, original, messages)
  }

  /** Returns a paragraph as the filters pass it. Throws an AnswerWithheld. */
  const filterReply = async (
    filters: readonly ReplyFilter[],
    paragraph: string,
    { options: { abortSignal: signal }, purpose }: ModelCall,
    scope: FilterScope,
  ): Promise<string> => {
    let text = paragraph
    for (const filter of filters) {
      const shown = text
      try {
        text = await callFilter({
          filter,
          act: (signal) => filter.reply({ ...toFacts(scope, purpose), text: shown, signal }),
          read: (result) => readText(result.text),
          unfiltered: shown,
          scope,
          signal,
        })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const { code } = error
        const message = error instanceof FilterRefusal ? { message: error.sentence } : {}
        scope.onNotice?.({ filter: filter.name, code, ...message })
        throw new AnswerWithheld()
      }
    }
    return text
  }

  async function* stream(
    opened: OpenedModel,
    call: ModelCall,
    scope: FilterScope,
  ): AsyncGenerator<ModelPart> {
    const filters = extensions['chat.filters'].list()
    const ofRequests = filters.filter((filter): filter is RequestFilter => filter.request !== undefined)
    const ofReplies = filters.filter((filter): filter is ReplyFilter => filter.reply !== undefined)
    const prompt = ofRequests.length > 0 ? await filterRequest(ofRequests, call, scope) : call.options.prompt
    const filtered = { ...call, options: { ...call.options, prompt } }
    const parts = opened.stream(filtered)
    if (ofReplies.length === 0) {
      yield* parts
      return
    }
    let length = 0
    yield* filterAnswer(parts, {
      pass(text) {
        length += text.length
        return filterReply(ofReplies, text, call, scope)
      },
      toEnd: () => toWithheldEnd(measurePrompt([...prompt]), length),
      signal: call.options.abortSignal,
    })
  }

  return {
    /**
     * Returns a model whose requests and replies pass the filters; the model itself if there are none. A call throws a
     * FilterRefusal, or FILTER_FAILED, before the upstream is asked; a refused reply ends as one that its provider filters.
     */
    over(opened: OpenedModel, scope: FilterScope): OpenedModel {
      if (extensions['chat.filters'].list().length === 0) return opened
      const { reference, limits, explain } = opened
      return {
        reference,
        limits,
        explain,
        get description() {
          return opened.description
        },
        stream: (call) => stream(opened, call, scope),
      }
    },
    /** Returns FILTER_REFUSED in place of a refusal, for a route: its own code is in no table of errors. */
    toError(error: AppError, locale: Locale): AppError {
      const { code, message, details } = explainRefusal(error, locale) ?? {}
      return code === undefined ? error : new AppError('FILTER_REFUSED', { ...details, code, message })
    },
    /** Returns the opening of models whose requests and replies pass the filters. */
    overAll(models: Models, scope: FilterScope): Pick<Models, 'open' | 'first_token_ms'> {
      return {
        open: async (...choice) => this.over(await models.open(...choice), scope),
        get first_token_ms() {
          return models.first_token_ms
        },
      }
    },
  }
}

const toFacts = ({ agent, caller, locale }: FilterScope, purpose: ModelCall['purpose']) => ({
  agent,
  caller,
  locale,
  purpose: purpose as Purpose,
})

/** Returns the end of an answer that a filter has withheld, with estimated tokens: its upstream was not heard to the end. */
function toWithheldEnd(promptChars: number, answerChars: number): FinishPart {
  const input_tokens = Math.ceil(promptChars / CHARACTERS_PER_TOKEN)
  const output_tokens = Math.ceil(answerChars / CHARACTERS_PER_TOKEN)
  return {
    type: 'finish',
    finishReason: { unified: 'content-filter', raw: 'filter' },
    usage: {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
    tokens: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens, is_estimated: true },
  }
}
