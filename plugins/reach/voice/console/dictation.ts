import type { MountSlot, SlotContext } from '#plugin-api/console'
import { createIconButton, createLight, createNote } from './elements.ts'
import { canRecord, type Recording, readProblem, startRecording } from './recording.ts'
import { wordsOf } from './words.ts'

/** The longest dictation, in seconds. */
const MAX_SECONDS = 300
/** The interval at which the time is shown, in milliseconds. */
const TICK_MS = 250

type State = 'idle' | 'starting' | 'recording' | 'paused' | 'transcribing'

/** Adds a microphone to the composer, whose words are inserted where the cursor is. */
const mount: MountSlot = (element, initial) => {
  let context = initial
  let state: State = 'idle'
  let recording: Recording | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  /** Rises with each start and cancel: the outcome of an earlier attempt is dropped. */
  let attempt = 0
  let calling = new AbortController()
  let isAvailable = canRecord()

  const main = createIconButton(() => void press())
  const leave = createIconButton(() => reset({ focus: true }))
  const progress = createNote('status')
  const time = createNote('timer')
  const light = createLight()

  const render = () => {
    const words = wordsOf(context)
    const isRecording = state === 'recording' || state === 'paused'
    const isWaiting = state === 'starting' || state === 'transcribing'
    main.show(isRecording ? 'check' : 'microphone', isRecording ? words.finish : words.dictate)
    main.element.setAttribute('aria-pressed', String(isRecording))
    main.element.setAttribute('aria-disabled', String(isWaiting))
    main.element.style.opacity = isWaiting ? '0.5' : ''
    leave.show('cross', words.cancel)
    progress.textContent = state === 'transcribing' ? words.transcribing : ''
    if (isRecording) showTime()
    if (!isAvailable) return element.replaceChildren()
    if (!main.element.isConnected) element.append(main.element)
    // The first button never moves: the second click of a double click must not meet another button.
    let last: Element = main.element
    for (const [part, isShown] of [
      [leave.element, isRecording || state === 'transcribing'],
      [light, state === 'recording'],
      [time, isRecording],
      [progress, state === 'transcribing'],
    ] as const) {
      if (!isShown) part.remove()
      else if (last.nextElementSibling !== part) last.after(part)
      if (isShown) last = part
    }
  }

  const change = (next: State) => {
    state = next
    render()
  }

  const showTime = () => {
    const seconds = Math.min(Math.floor(recording?.seconds() ?? 0), MAX_SECONDS)
    time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }

  const tick = () => {
    showTime()
    if (state !== 'recording' || recording!.seconds() < MAX_SECONDS) return
    recording!.pause()
    clearInterval(timer)
    context.toast(wordsOf(context).limit)
    change('paused')
  }

  /** Drops the recording or the transcription. */
  const reset = ({ focus = false } = {}) => {
    attempt += 1
    clearInterval(timer)
    calling.abort()
    recording?.cancel()
    recording = undefined
    if (focus && main.element.isConnected) main.element.focus()
    change('idle')
  }

  const start = async () => {
    attempt += 1
    const own = attempt
    change('starting')
    try {
      const begun = await startRecording(() => void finish())
      if (own !== attempt) return begun.cancel()
      recording = begun
      timer = setInterval(tick, TICK_MS)
      change('recording')
    } catch (error) {
      if (own !== attempt) return
      context.toast(wordsOf(context)[readProblem(error)])
      change('idle')
    }
  }

  const finish = async () => {
    if (!recording) return
    const own = attempt
    clearInterval(timer)
    const ending = recording
    recording = undefined
    change('transcribing')
    calling = new AbortController()
    try {
      const audio = await ending.finish()
      const form = new FormData()
      form.set('file', audio, 'dictation')
      const { text } = (await context.request('POST', '/transcriptions', form, {
        signal: calling.signal,
      })) as { text: string }
      if (own !== attempt) return
      change('idle')
      if (text === '') context.toast(wordsOf(context).silence)
      else context.insert(withSpace(text))
    } catch (error) {
      if (own !== attempt) return
      context.toast((error as Error).message)
      change('idle')
    }
  }

  const press = () => {
    if (state === 'idle') return start()
    if (state === 'recording' || state === 'paused') return finish()
  }

  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || state === 'idle') return
    event.preventDefault()
    event.stopPropagation()
    reset({ focus: true })
  }
  element.addEventListener('keydown', onKey)

  render()

  return {
    update(next) {
      if (isElsewhere(context, next)) reset()
      context = next
      render()
    },
    unmount() {
      isAvailable = false
      reset()
      element.removeEventListener('keydown', onKey)
    },
  }
}

/** True if the composer now belongs to another conversation; a new one gets its id with its first message. */
const isElsewhere = (current: SlotContext, next: SlotContext): boolean =>
  current.agent_id !== next.agent_id ||
  (current.thread_id !== undefined && current.thread_id !== next.thread_id)

/** Adds a space after words of languages that have spaces. */
const withSpace = (text: string): string =>
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]$/u.test(text) ? text : `${text} `

export default mount
