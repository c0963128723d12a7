import { ActionIcon, Button, FileButton, Textarea } from '@mantine/core'
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  lazy,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { flushSync } from 'react-dom'
import type { InputBlock } from '#client'
import { SlotPlace } from '../../frame/slot-place.tsx'
import { t } from '../../i18n/words.ts'
import type { Prompt } from '../../prompts/use-prompts.ts'
import { Failure } from '../../ui/failure.tsx'
import { ArrowUp, Paperclip, Square } from '../../ui/icons.ts'
import { findQuestion, type Request } from '../approvals/decisions.ts'
import { questionOf } from '../approvals/question.ts'
import { ChatFailure } from '../chat-failure.tsx'
import { readFiles, type SendSettings, type ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import type { ListedAgent } from '../use-agent.ts'
import classes from './composer.module.css'
import { COMPOSER_FIELD } from './composer-field.ts'
import { draftOf } from './draft.ts'
import { DraftFiles } from './draft-files.tsx'
import { LazyWindowGauge } from './lazy-window-gauge.tsx'
import { ModelPicker } from './model-picker.tsx'
import { Polish } from './polish.tsx'
import { ReasoningPicker } from './reasoning-picker.tsx'
import { SavePrompt } from './save-prompt.tsx'
import { SourcePicker } from './source-picker.tsx'
import { readTrigger, type SuggestionKeys } from './suggestion.ts'
import { type FailedFile, followReadings, type UploadProgress, uploadTo } from './upload.ts'
import { useAnsweringModel } from './use-answering-model.ts'

const FillPrompt = lazy(() => import('./fill-prompt.tsx'))
const loadSuggestions = () => import('./suggestions.tsx')
const Suggestions = lazy(loadSuggestions)

/** The characters from which a pasted text is offered as a file. */
const LONG_TEXT = 4000

interface Props {
  agent: ListedAgent
  store: ThreadStore | undefined
  attachButton: RefObject<HTMLButtonElement | null>
  onSend(content: InputBlock[], settings: SendSettings): Promise<void>
}

/** The place to write a message. Enter sends it; while the agent works and nothing is written, the button stops it. */
export function Composer({ agent, store, attachButton, onSend }: Props) {
  const draft = draftOf(store?.thread_id ?? agent.id)
  const { text, files, settings } = useSyncExternalStore(draft.listen, draft.read)
  const isActive = useThread(store, ({ active }) => active !== undefined)
  const pending = useThread(store, (view) => view.pending)
  const queued = useThread(store, (view) => view.queued)
  const question = findQuestion(pending)
  const [error, setError] = useState<unknown>()
  const [failed, setFailed] = useState<FailedFile[]>([])
  const [isOver, setOver] = useState(false)
  const [progress, setProgress] = useState<UploadProgress>()
  // One after the other, also if more files come while some are uploaded.
  const uploads = useRef(Promise.resolve())
  const waitingUploads = useRef(0)
  const isUploading = progress !== undefined
  const field = useRef<HTMLTextAreaElement>(null)
  /** The text that was pasted last, if it is long. */
  const [longText, setLongText] = useState<string>()
  const [filling, setFilling] = useState<Prompt>()
  const [caret, setCaret] = useState(0)
  const id = useId()
  const trigger = readTrigger(text, caret)
  const suggestionKeys = useRef<SuggestionKeys>(null)
  const [suggestionId, setSuggestionId] = useState<string>()
  const thread_id = store?.thread_id
  const model = useAnsweringModel({ agent, thread_id, draft, onFailure: setError })
  const changeSettings = (changes: Partial<Record<keyof SendSettings, unknown>>) => {
    const chosen = Object.entries({ ...settings, ...changes }).filter(([, value]) => value !== undefined)
    draft.set({ settings: Object.fromEntries(chosen) })
  }
  const isEmpty = text.trim() === '' && files.length === 0

  // A phone would open its keyboard, and a dialog keeps the focus.
  useEffect(() => {
    if (draft && matchMedia('(hover: hover)').matches && !document.querySelector('[aria-modal=true]'))
      field.current?.focus({ preventScroll: true })
  }, [draft])

  const isReading = files.some(({ document }) => document?.state === 'reading')
  useEffect(() => {
    if (isReading)
      void followReadings(draft, agent.id).then((failed) => setFailed((earlier) => [...earlier, ...failed]))
  }, [isReading, files, draft, agent.id])

  const send = async () => {
    if (isEmpty || isUploading) return
    const forget = draft.take()
    setError(undefined)
    setFailed([])
    setLongText(undefined)
    try {
      const blocks = files.map(({ size, document, ...block }): InputBlock => block)
      if (store && pending && question)
        await store.decide(pending.pending_id, [{ type: 'respond', message: text.trim() }])
      else
        await onSend([...blocks, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])], settings)
      forget()
    } catch (reason) {
      draft.set({ text, files })
      setError(reason)
    }
  }
  const upload = (chosen: Iterable<File>) => {
    const list = [...chosen]
    const [first] = list
    if (!first) return
    waitingUploads.current += 1
    setProgress((shown) => shown ?? { name: first.name, position: 1, count: list.length })
    uploads.current = uploads.current.then(async () => {
      const failed = await uploadTo(draft, agent.id, list, setProgress)
      setFailed((earlier) => [...earlier, ...failed])
      waitingUploads.current -= 1
      if (waitingUploads.current === 0) setProgress(undefined)
    })
  }

  const handleKey = (event: KeyboardEvent) => {
    // They may appear with the next key.
    void loadSuggestions()
    if (event.nativeEvent.isComposing || event.defaultPrevented || suggestionKeys.current?.handleKey(event))
      return
    const last = queued.at(-1)
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void send()
    } else if (event.key === 'ArrowUp' && text === '' && last && store) {
      event.preventDefault()
      store.unqueue(last.queue_id)
      draft.set({ text: last.text, files: readFiles(last.content ?? []) })
    }
  }
  const replaceText = (text: string, caret: number) => {
    flushSync(() => {
      draft.set({ text })
      setCaret(caret)
    })
    // A changed value moves the caret to its end.
    field.current?.setSelectionRange(caret, caret)
  }
  const closeFilling = () => {
    setFilling(undefined)
    field.current?.focus()
  }
  const paste = (event: ClipboardEvent) => {
    const { files: pastedFiles } = event.clipboardData
    const pastedText = event.clipboardData.getData('text/plain')
    if (pastedFiles.length === 0) return setLongText(pastedText.length > LONG_TEXT ? pastedText : undefined)
    event.preventDefault()
    upload(pastedFiles)
  }
  const attachLongText = (pasted: string) => {
    // The field may write line breaks in another form.
    const lines = pasted.replace(/\r\n?/g, '\n')
    draft.set({ text: text.replace(lines, () => '') })
    setLongText(undefined)
    upload([new File([pasted], t('chat.pasted_name'), { type: 'text/plain' })])
    field.current?.focus()
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    upload(event.dataTransfer.files)
  }
  const dragOver = (event: DragEvent) => {
    event.preventDefault()
    setOver(event.dataTransfer.types.includes('Files'))
  }

  return (
    <>
      {filling && (
        <Suspense>
          <FillPrompt
            key={filling.id}
            prompt={filling}
            onInsert={(text) => {
              draft.set({ text })
              closeFilling()
            }}
            onClose={closeFilling}
          />
        </Suspense>
      )}
      <form
        className={classes.composer}
        data-over={isOver}
        onDragOver={dragOver}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {error !== undefined && <ChatFailure error={error} />}
        {failed.map(({ name, error }, index) => (
          <Failure key={index} about={name} error={error} />
        ))}
        {trigger && (
          <Suspense>
            <Suggestions
              {...{ id, agent, store, draft, text, caret, trigger }}
              keys={suggestionKeys}
              onChoice={setSuggestionId}
              onText={replaceText}
              onAttach={() => attachButton.current?.click()}
              onFill={(prompt) => {
                draft.set({ text: '' })
                setFilling(prompt)
              }}
              onFailure={setError}
            />
          </Suspense>
        )}
        <DraftFiles agent_id={agent.id} draft={draft} files={files} progress={progress} />
        <Textarea
          ref={field}
          name={COMPOSER_FIELD}
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={12}
          dir="auto"
          aria-label={t('chat.message', { agent: agent.name })}
          placeholder={
            isOver ? t('chat.drop') : (placeholderOf(question) ?? t('chat.message', { agent: agent.name }))
          }
          value={text}
          onChange={(event) => {
            setCaret(event.currentTarget.selectionStart)
            draft.set({ text: event.currentTarget.value })
          }}
          onKeyDown={handleKey}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          {...(suggestionId !== undefined && {
            'aria-controls': id,
            'aria-activedescendant': suggestionId,
          })}
          enterKeyHint="send"
          onPaste={paste}
          classNames={{ input: classes.field }}
        />
        {longText !== undefined && text !== '' && (
          <Button
            size="compact-xs"
            variant="default"
            w="fit-content"
            onClick={() => attachLongText(longText)}
          >
            {t('chat.attach_long', { count: longText.length })}
          </Button>
        )}
        <div className={classes.bar}>
          <div className={classes.tools}>
            <FileButton multiple onChange={upload}>
              {(props) => (
                <ActionIcon
                  {...props}
                  ref={attachButton}
                  variant="subtle"
                  color="gray"
                  size={34}
                  aria-label={t('chat.attach')}
                  title={t('chat.attach')}
                >
                  <Paperclip size={17} aria-hidden />
                </ActionIcon>
              )}
            </FileButton>
            <SlotPlace name="composer.actions" agent_id={agent.id} thread_id={thread_id} />
            <ModelPicker {...model} />
            {model.canReason && (
              <ReasoningPicker
                value={settings.reasoning}
                onChange={(reasoning) => changeSettings({ reasoning })}
              />
            )}
            <Suspense>
              <SourcePicker {...{ agent, thread_id, settings }} onChange={changeSettings} />
            </Suspense>
            <SlotPlace name="composer.options" agent_id={agent.id} thread_id={thread_id} />
            <SavePrompt
              text={text}
              size={34}
              iconSize={17}
              disabled={text.trim() === ''}
              className={classes.wide}
            />
            <Polish agent_id={agent.id} draft={draft} isDisabled={text.trim() === ''} onFailure={setError} />
          </div>
          {store && <LazyWindowGauge store={store} window={model.window} onFailure={setError} />}
          {isActive && isEmpty ? (
            <ActionIcon
              size={34}
              radius="xl"
              aria-label={t('chat.stop')}
              title={t('chat.stop')}
              onClick={() => store?.stop()}
            >
              <Square size={14} fill="currentColor" aria-hidden />
            </ActionIcon>
          ) : (
            <ActionIcon
              size={34}
              radius="xl"
              type="submit"
              disabled={isEmpty}
              aria-label={t('chat.send')}
              title={t('chat.send')}
            >
              <ArrowUp size={18} aria-hidden />
            </ActionIcon>
          )}
        </div>
      </form>
    </>
  )
}

/** The place of an answer: its question, unless that is above with its options. */
function placeholderOf(question: Request | undefined): string | undefined {
  if (!question) return undefined
  return questionOf(question).options.length > 0 ? t('approvals.answer') : question.description.split('\n')[0]
}
