import type { Place, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import type { FakeAnswer, FakeCall, FakeRoutes } from './fake-dingtalk-http.ts'
import type { FakeMessages } from './fake-dingtalk-messages.ts'

/** The parts of the fake that its cards use. */
interface CardRules {
  client_id: string
  group: string
  template: { id: string; key: string; isPublished: boolean }
  violations: string[]
  faultOf(isOld: boolean): FakeAnswer | undefined
  refusalOf(call: FakeCall): FakeAnswer | undefined
  isStaff(id: string): boolean
  messages: FakeMessages
}

interface Card {
  message?: ShownMessage
  guids: Set<string>
  /** The name of the change that ended it. */
  last?: string
  /** The spaces that it was created for. */
  spaces: Set<string>
}

const done: FakeAnswer = { body: { success: true, result: true } }

const refuse = (code: string, status = 400): FakeAnswer => ({ status, body: { code, message: code } })

/** Makes the calls for cards: to create, to deliver and to stream into one. */
export function createFakeCards(rules: CardRules): FakeRoutes {
  const { client_id, group, template, violations, faultOf, refusalOf, isStaff, messages } = rules
  const cards = new Map<string, Card>()

  function placeOf({ openSpaceId, ...body }: FakeCall['body']): Place | undefined {
    const [, sort, id] = /^dtv1\.card\/\/(IM_GROUP|IM_ROBOT)\.(.+)$/.exec(openSpaceId ?? '') ?? []
    if (sort === 'IM_GROUP' && id === group && body.imGroupOpenDeliverModel?.robotCode === client_id)
      return 'group'
    if (sort === 'IM_ROBOT' && isStaff(id!) && body.imRobotOpenDeliverModel?.spaceType === 'IM_ROBOT')
      return 'direct'
    return undefined
  }

  return {
    'POST /v1.0/card/instances'(call) {
      const { cardTemplateId, outTrackId, callbackType, cardData } = call.body
      const { imGroupOpenSpaceModel, imRobotOpenSpaceModel } = call.body
      const fault = refusalOf(call)
      if (fault) return fault
      if (cardTemplateId !== template.id) return refuse('param.templateNotExist')
      if (!template.isPublished) return refuse('param.templateUnpublished')
      if (!outTrackId || callbackType !== 'STREAM') return refuse('param.error')
      if (Object.values(cardData?.cardParamMap ?? {}).some((value) => typeof value !== 'string'))
        return refuse('param.cardParamMap')
      if (cards.has(outTrackId)) return refuse('param.cardAlreadyExist')
      const spaces = new Set<string>()
      if (imGroupOpenSpaceModel) spaces.add('group')
      if (imRobotOpenSpaceModel) spaces.add('direct')
      cards.set(outTrackId, { guids: new Set(), spaces })
      return { body: { success: true, result: outTrackId } }
    },

    'POST /v1.0/card/instances/deliver'(call) {
      const { outTrackId, userIdType, openSpaceId } = call.body
      const card = cards.get(outTrackId)
      const fault = refusalOf(call) ?? faultOf(false)
      if (fault) return fault
      if (!card || userIdType !== 1) return refuse('param.cardNotExist')
      if (card.message) violations.push('a card was delivered twice')
      const place = placeOf(call.body)
      if (place && !card.spaces.has(place)) return refuse('param.openSpaceModelInvalid')
      if (place) card.message ??= messages.add({ id: outTrackId, place, text: '', is_live: true })
      const result = { spaceId: openSpaceId, success: Boolean(place), errorMsg: place ? '' : 'no such space' }
      return { body: { success: true, result: { outTrackId, deliverResults: [result] } } }
    },

    'PUT /v1.0/card/streaming'(call) {
      const { outTrackId, guid, key, content, isFull, isFinalize, isError } = call.body
      const fault = refusalOf(call) ?? faultOf(false)
      if (fault) return fault
      const card = cards.get(outTrackId)
      const { message } = card ?? {}
      if (!card || !message || typeof content !== 'string') return refuse('param.cardNotExist')
      if (key !== template.key) return refuse('unknownError', 500)
      if (!guid || guid === card.last) return done
      if (card.guids.has(guid)) violations.push('two changes of a card with the same name')
      if (card.last) violations.push('a card was changed after its end')
      if (!isFull || isError) violations.push('a change of a card that does not replace its text')
      card.guids.add(guid)
      if (message.text && message.text !== content) message.history.push(message.text)
      message.text = content
      if (isFinalize) {
        card.last = guid
        message.is_live = false
      }
      return done
    },
  }
}
