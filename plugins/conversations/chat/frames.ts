import { connectorIds, knowledgeBaseIds, objectOf, reasoningLevel, rowOf } from '#plugin-api'
import { inputBlock, queuedTurns, threadId, turnId } from './message-schemas.ts'
import { projectId } from './thread-schemas.ts'
import { clientMessageId, seq, text, thread, turnFrameFields } from './turn-frames.ts'

const position = { thread_id: thread, turn_id: text('The turn', 'trn_01KAQ2VA5T'), seq } as const

/** Adds a name and a sentence to a frame. */
const named = <const Title extends string, const Schema extends object>(
  title: Title,
  description: string,
  schema: Schema,
) => ({ title, description, ...schema })

/** Adds a name, a sentence and the position in the thread to the fields of a frame. */
const ofTurn = <const Properties extends Record<string, unknown>, const Required extends readonly string[]>(
  title: string,
  description: string,
  { properties, required }: { properties: Properties; required: Required },
) =>
  ({
    title,
    description,
    type: 'object',
    properties: { ...position, ...properties },
    required: ['thread_id', 'turn_id', 'seq', ...required],
    additionalProperties: false,
  }) as const

/** The id of a message in requests. */
export const messageId = {
  type: 'string',
  minLength: 1,
  maxLength: 1024,
  examples: ['msg_01KDVMF0000000000000000001'],
} as const
const chosenName = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description: 'A name of your choice. The same one sent twice starts one turn; it is kept for 30 days',
  examples: ['6f0d2c9e'],
} as const
const turnModel = {
  type: 'string',
  minLength: 3,
  maxLength: 256,
  description: 'The model of this turn, `<provider>:<model>`',
} as const
const reasoning = {
  ...reasoningLevel,
  description: 'How long the model may think in this turn',
} as const

/** Frames that a client sends, by type. */
export const receivedFrames = {
  user_turn: named('UserTurnFrame', 'Says something to the agent, with either `text` or `content`.', {
    ...objectOf({
      thread_id: { ...threadId, description: 'Without it, the turn starts a new thread' },
      session_key: {
        type: 'string',
        minLength: 1,
        maxLength: 128,
        description: 'Finds the thread that was created with it, instead of `thread_id`',
      },
      project_id: { ...projectId, description: 'The project of yours that a new thread belongs to' },
      text: { type: 'string', pattern: '\\S', examples: ['What is the weather in Oslo?'] },
      content: {
        type: 'array',
        items: inputBlock,
        minItems: 1,
        maxItems: 64,
        description: 'Text, images and files that were uploaded before',
      },
      replaces: {
        ...messageId,
        description:
          'A message of yours in the thread: the turn is a new version of it, and continues from what stood before it',
      },
      client_message_id: chosenName,
      model: turnModel,
      reasoning,
      knowledge_base_ids: {
        ...knowledgeBaseIds,
        description:
          'Knowledge bases that this turn searches in addition to those of the thread and the agent',
      },
      connector_ids: {
        ...connectorIds,
        description: 'Connectors whose tools the agent can use in this turn, in addition to its own',
      },
    }),
    oneOf: [{ required: ['text'] }, { required: ['content'] }],
    examples: [
      { type: 'user_turn', text: 'What is the weather in Oslo?', client_message_id: '6f0d2c9e' },
      { type: 'user_turn', thread_id: 'thr_01KDVMF0000000000000000001', text: 'And tomorrow?' },
    ],
  }),
  regenerate: named(
    'RegenerateFrame',
    'Has an answer written anew, from the same message. The settings of that message apply, except for those named here.',
    objectOf(
      {
        thread_id: { ...threadId, examples: ['thr_01KAQ2V8M3'] },
        message_id: { ...messageId, description: 'The answer; without it, the last one' },
        client_message_id: chosenName,
        model: turnModel,
        reasoning,
      },
      ['thread_id'],
    ),
  ),
  ping: named('PingFrame', 'Checks the connection; answered by `pong`.', objectOf({})),
  subscribe: named(
    'SubscribeFrame',
    'Follows a thread. Answered by `turn_status`, then each frame after `after_seq`, then new frames as they happen.',
    objectOf(
      {
        thread_id: { ...threadId, examples: ['thr_01KAQ2V8M3'] },
        after_seq: {
          type: 'integer',
          minimum: 0,
          description:
            'The last `seq` that you have; without it, the turn that is running is sent from its start',
          examples: [7],
        },
      },
      ['thread_id'],
    ),
  ),
  stop: named(
    'StopFrame',
    'Ends the turn that runs or waits for a person. Answered by `done`, or by `turn_status` if there is none.',
    rowOf({ thread_id: { ...threadId, examples: ['thr_01KAQ2V8M3'] } }),
  ),
  unqueue: named(
    'UnqueueFrame',
    'Takes a waiting message back. Answered by `unqueued`, or by `turn_status` if it no longer waits.',
    rowOf({
      thread_id: { ...threadId, examples: ['thr_01KAQ2V8M3'] },
      queue_id: { ...turnId, examples: ['trn_01KAQ2VC77'] },
    }),
  ),
} as const

/** Frames that the server sends, by type. The frames of a turn carry `thread_id`, `turn_id` and `seq`. */
export const sentFrames = {
  turn_started: ofTurn(
    'TurnStartedFrame',
    "A turn began; `message_id` is the user's message, which is stored.",
    turnFrameFields.turn_started,
  ),
  content: ofTurn('ContentFrame', 'A piece of the reply.', turnFrameFields.content),
  reasoning: ofTurn('ReasoningFrame', "A piece of the model's thoughts.", turnFrameFields.reasoning),
  tool_call: ofTurn('ToolCallFrame', 'A tool is called.', turnFrameFields.tool_call),
  tool_result: ofTurn('ToolResultFrame', 'A call of a tool has ended.', turnFrameFields.tool_result),
  tool_progress: ofTurn(
    'ToolProgressFrame',
    'Progress of a running call. Only those who follow the thread see it; no message contains it.',
    turnFrameFields.tool_progress,
  ),
  attachment: ofTurn('AttachmentFrame', 'A file for the user.', turnFrameFields.attachment),
  usage: ofTurn('UsageFrame', 'The tokens of one call of the model.', turnFrameFields.usage),
  notice: ofTurn(
    'NoticeFrame',
    'Something that the person should know about the answer, such as another model that wrote it.',
    turnFrameFields.notice,
  ),
  hitl_required: ofTurn(
    'ApprovalRequiredFrame',
    'The turn is paused until a person decides, with one of the `allowed_decisions` for each request.',
    turnFrameFields.hitl_required,
  ),
  hitl_resolved: ofTurn(
    'ApprovalResolvedFrame',
    'The pause has ended, and with `stopped` the turn as well.',
    turnFrameFields.hitl_resolved,
  ),
  path_changed: named(
    'PathChangedFrame',
    'Another version was chosen: the thread shows the path through this message. Read the history again.',
    rowOf({ thread_id: thread, seq, ...turnFrameFields.path_changed.properties }),
  ),
  done: ofTurn('DoneFrame', 'The turn has ended; nothing of it follows.', turnFrameFields.done),
  error: named(
    'ErrorFrame',
    'The turn failed and has ended. Without `seq`, a frame of the client was refused, and no turn is affected.',
    objectOf(
      {
        thread_id: thread,
        turn_id: { type: 'string', description: 'The turn that failed' },
        seq: { type: 'integer', minimum: 0, description: 'Set if the frame belongs to a turn' },
        client_message_id: clientMessageId,
        ...turnFrameFields.error.properties,
      },
      turnFrameFields.error.required,
    ),
  ),
  turn_status: named(
    'TurnStatusFrame',
    'The state of a thread, at the start of a subscription, or if there was nothing to do.',
    rowOf(
      {
        thread_id: thread,
        active: { type: 'boolean', description: 'True while a turn runs or is paused' },
        turn_id: { type: 'string', description: 'The active turn' },
        last_seq: { ...seq, description: 'The last `seq` of the thread' },
        paused: { type: 'boolean', description: 'True while the turn waits for a person' },
        queued: queuedTurns,
      },
      ['turn_id'],
    ),
  ),
  turn_queued: named(
    'TurnQueuedFrame',
    'A message waits until the turns before it have ended.',
    rowOf(
      {
        thread_id: thread,
        client_message_id: clientMessageId,
        queue_id: text('The `turn_id` that the turn will have', 'trn_01KAQ2VC77'),
        position: { type: 'integer', minimum: 1, description: '1 is the next' },
      },
      ['client_message_id'],
    ),
  ),
  unqueued: named(
    'UnqueuedFrame',
    'A queued message was canceled.',
    rowOf({ thread_id: thread, queue_id: text('The message that waited', 'trn_01KAQ2VC77') }),
  ),
  pong: named('PongFrame', 'The answer to `ping`.', objectOf({})),
} as const

/** A frame of a turn, as a stream of events sends it. */
export const turnFrame = {
  title: 'TurnFrame',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: Object.keys(turnFrameFields).map((type) => {
    const { properties, required, ...frame } = sentFrames[type as keyof typeof turnFrameFields]
    return {
      ...frame,
      properties: { type: { type: 'string', const: type }, ...properties },
      required: ['type', ...required],
    }
  }),
} as const
