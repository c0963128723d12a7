/** The tags around thoughts in the text of an answer, by the templates of models that have no field for thoughts. */
const TAGS: readonly (readonly [opening: string, closing: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<THINK>', '</THINK>'],
  ['<thought>', '</thought>'],
  ['<thoughts>', '</thoughts>'],
  ['<reasoning>', '</reasoning>'],
  ['<longcat_think>', '</longcat_think>'],
  ['<mm:think>', '</mm:think>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
]

/**
 * Creates the splitter of the thoughts in tags from the text of one answer. Tags count only at its very start, so that those in a sample of code stay text.
 * `startsInside` is for models whose template has opened the tag in the prompt: their answer is text after all if the
 * tag is never closed.
 */
export function createThoughtSplitter(
  emit: (type: 'text' | 'reasoning', piece: string) => void,
  { startsInside = false } = {},
) {
  let state: 'start' | 'inside' | 'text' = 'start'
  let closing = ''
  let waiting = ''
  let hasThought = false
  /** All thoughts so far, as long as they may turn out to be text. */
  let doubtful: string | undefined = startsInside ? '' : undefined

  function readStart(): void {
    const start = waiting.trimStart()
    const tag = TAGS.find(([opening]) => start.startsWith(opening))
    if (tag) {
      enter(tag[1], start.slice(tag[0].length))
      doubtful = undefined
    } else if (TAGS.some(([opening]) => opening.startsWith(start))) return
    else if (doubtful !== undefined) enter('</think>', waiting)
    else {
      state = 'text'
      const text = hasThought ? start : waiting
      waiting = ''
      emit('text', text)
    }
  }

  function enter(tag: string, thought: string): void {
    state = 'inside'
    closing = tag
    waiting = thought
    readInside()
  }

  function readInside(): void {
    const end = waiting.indexOf(closing)
    const keeps = end === -1 ? countTagStart(waiting, closing) : waiting.length - end
    addThought(waiting.slice(0, waiting.length - keeps))
    waiting = waiting.slice(waiting.length - keeps)
    if (end === -1) return
    state = 'start'
    hasThought = true
    doubtful = undefined
    waiting = waiting.slice(closing.length)
    readStart()
  }

  function addThought(thought: string): void {
    // A template puts a line feed after its tag.
    const piece = hasThought ? thought : thought.trimStart()
    if (piece === '') return
    hasThought = true
    if (doubtful !== undefined) doubtful += piece
    emit('reasoning', piece)
  }

  return {
    /** True once the text has begun, which is passed on as it is. */
    get isPast(): boolean {
      return state === 'text'
    },
    write(piece: string) {
      if (state === 'text') return emit('text', piece)
      waiting += piece
      if (state === 'start') readStart()
      else readInside()
    },
    /** Passes on what waited for the end of a tag; `hasCalls` is true if the answer calls tools. */
    end(hasCalls: boolean): void {
      if (state === 'inside') addThought(waiting)
      else if (waiting.trim() !== '' || !hasThought) if (waiting !== '') emit('text', waiting)
      waiting = ''
      if (doubtful && !hasCalls) emit('text', doubtful)
      doubtful = undefined
    },
  }
}

/** Tells thoughts in tags at the start of an answer from its text. */
export type ThoughtSplitter = ReturnType<typeof createThoughtSplitter>

/** The length of the longest end of a text with which this tag may begin. */
function countTagStart(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1)
    if (text.endsWith(tag.slice(0, length))) return length
  return 0
}
