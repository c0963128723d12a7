import { ActionIcon, FileButton, Textarea } from '@mantine/core'
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { InputBlock } from '#client'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { ArrowUp, Paperclip, Square } from '../../ui/icons.ts'
import { findQuestion } from '../approvals/decisions.ts'
import type { SendSettings, ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import type { ListedAgent } from '../use-agent.ts'
import classes from './composer.module.css'
import { draftOf } from './draft.ts'
import { DraftFiles } from './draft-files.tsx'
import { ModelOptions } from './model-options.tsx'
import { Polish } from './polish.tsx'
import { Suggestions } from './suggestions.tsx'
import { type FailedFile, uploadTo } from './upload.ts'
import { useSuggestions } from './use-suggestions.ts'

interface Props {
  agent: ListedAgent
  store: ThreadStore | undefined
  onSend(content: InputBlock[], settings: SendSettings): Promise<void>
}

/** The place to write a message. Enter sends it; while the agent works and nothing is written, the button stops it. */
export function Composer({ agent, store, onSend }: Props) {
  const draft = draftOf(store?.thread_id ?? agent.id)
  const { text, files, settings } = useSyncExternalStore(draft.listen, draft.read)
  const isActive = useThread(store, ({ active }) => active !== undefined)
  const pending = useThread(store, (view) => view.pending)
  const queued = useThread(store, (view) => view.queued)
  const question = findQuestion(pending)
  const [error, setError] = useState<unknown>()
  const [failed, setFailed] = useState<FailedFile[]>([])
  const [isOver, setOver] = useState(false)
  const [uploadCount, setUploads] = useState(0)
  // One after the other, also if more files come while some are uploaded.
  const uploads = useRef(Promise.resolve())
  const isUploading = uploadCount > 0
  const field = useRef<HTMLTextAreaElement>(null)
  const attachButton = useRef<HTMLButtonElement>(null)
  const [caret, setCaret] = useState(0)
  const id = useId()
  const {
    items,
    chosen,
    setPlace,
    handleKey: handleSuggestion,
  } = useSuggestions({
    agent_id: agent.id,
    store,
    draft,
    text,
    caret,
    onAttach: () => attachButton.current?.click(),
  })
  const isEmpty = text.trim() === '' && files.length === 0

  // A phone would open its keyboard.
  useEffect(() => {
    if (draft && matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true })
  }, [draft])

  const send = async () => {
    if (isEmpty || isUploading) return
    const forget = draft.take()
    setError(undefined)
    setFailed([])
    try {
      const blocks = files.map(({ size, ...block }): InputBlock => block)
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
    const change = (by: number) => setUploads((count) => count + by)
    change(1)
    uploads.current = uploads.current.then(async () => {
      const failed = await uploadTo(draft, agent.id, list)
      setFailed((earlier) => [...earlier, ...failed])
      change(-1)
    })
  }

  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || handleSuggestion(event)) return
    const last = queued.at(-1)
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void send()
    } else if (event.key === 'ArrowUp' && text === '' && last && store) {
      event.preventDefault()
      store.unqueue(last.queue_id)
      draft.set({ text: last.text })
    }
  }
  const paste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    upload(event.clipboardData.files)
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
      {error !== undefined && <Failure error={error} />}
      {failed.map(({ name, error }, index) => (
        <Failure key={index} about={name} error={error} />
      ))}
      <Suggestions id={id} items={items} chosen={chosen} onMove={setPlace} />
      <DraftFiles agent_id={agent.id} draft={draft} files={files} isUploading={isUploading} />
      <Textarea
        ref={field}
        variant="unstyled"
        autosize
        minRows={1}
        maxRows={12}
        dir="auto"
        aria-label={t('chat.message', { agent: agent.name })}
        placeholder={
          isOver
            ? t('chat.drop')
            : (question?.description.split('\n')[0] ?? t('chat.message', { agent: agent.name }))
        }
        value={text}
        onChange={(event) => {
          setCaret(event.currentTarget.selectionStart)
          draft.set({ text: event.currentTarget.value })
        }}
        onKeyDown={handleKey}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        {...(items.length > 0 && {
          'aria-controls': id,
          'aria-activedescendant': `${id}-${chosen}`,
        })}
        onPaste={paste}
        classNames={{ input: classes.field }}
      />
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
          <ModelOptions
            agent={agent}
            thread_id={store?.thread_id}
            settings={settings}
            onChange={(settings) => draft.set({ settings })}
          />
          <Polish agent_id={agent.id} draft={draft} isDisabled={text.trim() === ''} onFailure={setError} />
        </div>
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
  )
}
