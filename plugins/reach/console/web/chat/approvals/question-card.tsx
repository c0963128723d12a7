import { Button, Group, Kbd } from '@mantine/core'
import { useState } from 'react'
import type { Decision } from '#client'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { useAction } from '../../ui/use-action.ts'
import { Markdown } from '../markdown/markdown.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import type { PendingApproval } from '../store/thread-view.ts'
import classes from './approval-card.module.css'
import type { Request } from './decisions.ts'
import { Expiry } from './expiry.tsx'
import { OptionButtons } from './option-buttons.tsx'
import { questionOf } from './question.ts'
import { RejectForm } from './reject-form.tsx'
import { useArguments } from './request-view.tsx'
import { useDecisionKeys } from './use-decision-keys.ts'

interface Props {
  store: ThreadStore
  pending: PendingApproval
  request: Request
}

/** A question of the agent: one press answers it with an option, the composer in other words. */
export function QuestionCard({ store, pending, request }: Props) {
  const { args, isPending } = useArguments(store, pending, 0)
  const { text, options, isMultiple } = questionOf({ ...request, args })
  const [picked, setPicked] = useState<readonly string[]>([])
  const [isSkipping, setSkipping] = useState(false)
  const { isBusy, error, run } = useAction()
  const decide = (decision: Decision) => run(() => store.decide(pending.pending_id, [decision]))
  const answer = (message: string) => decide({ type: 'respond', message })
  const pick = (option: string) => {
    if (!isMultiple) return void answer(option)
    setPicked((all) => (all.includes(option) ? all.filter((one) => one !== option) : [...all, option]))
  }
  /** Sends the picked options in the order of the question. */
  const sendPicked = () =>
    picked.length > 0 && void answer(options.filter((option) => picked.includes(option)).join('\n'))

  const keys = Object.fromEntries(options.slice(0, 9).map((option, index) => [index + 1, () => pick(option)]))
  const hasKeys = useDecisionKeys(
    store.thread_id,
    !isBusy && !isPending && !isSkipping && options.length > 0,
    {
      ...keys,
      ...(isMultiple && { Enter: sendPicked }),
    },
  )
  return (
    <section className={classes.card} aria-label={t('approvals.question')}>
      <header className={classes.head}>
        <span>{t('approvals.question')}</span>
        <Expiry at={pending.expires_at} />
      </header>
      <Markdown text={text} />
      {options.length > 0 && (
        <OptionButtons
          options={options}
          picked={isMultiple ? picked : undefined}
          hasKeys={hasKeys}
          isDisabled={isBusy || isPending}
          onPick={pick}
        />
      )}
      {error !== undefined && <Failure error={error} />}
      {isSkipping ? (
        <RejectForm
          isBusy={isBusy}
          label={t('approvals.skip')}
          onCancel={() => setSkipping(false)}
          onSubmit={(message) => void decide({ type: 'reject', ...(message ? { message } : {}) })}
        />
      ) : (
        <Group gap="sm" className={classes.actions}>
          {isMultiple && options.length > 0 && (
            <Button
              size="xs"
              loading={isBusy}
              disabled={picked.length === 0}
              onClick={sendPicked}
              rightSection={hasKeys && picked.length > 0 && <Kbd size="xs">↵</Kbd>}
            >
              {t('approvals.send_answer')}
            </Button>
          )}
          <span className={classes.hint}>
            {t(options.length > 0 ? 'approvals.other_words' : 'approvals.own_words')}
          </span>
          <Button size="xs" variant="subtle" color="gray" disabled={isBusy} onClick={() => setSkipping(true)}>
            {t('approvals.skip')}
          </Button>
        </Group>
      )}
    </section>
  )
}
