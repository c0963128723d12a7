import { Button, Stack } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { t } from '../i18n/words.ts'
import { Confirm } from './confirm.tsx'
import { FormFailure, IssuesProvider } from './issues.tsx'
import classes from './settings-form.module.css'
import { useAction } from './use-action.ts'

interface Props {
  /** The name of the form for screen readers. */
  label: string
  isDirty: boolean
  onSave(): Promise<unknown>
  onReset(): void
  children: ReactNode
}

/** A form on a page. While it has changes, a bar to store them sticks to the bottom; leaving the page asks first. */
export function SettingsForm({ label, isDirty, onSave, onReset, children }: Props) {
  const { isBusy, error, run, forget } = useAction()
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    withResolver: true,
    enableBeforeUnload: isDirty,
  })

  const save = (event: FormEvent) => {
    event.preventDefault()
    void run(onSave)
  }

  return (
    <IssuesProvider error={error}>
      <form onSubmit={save} noValidate aria-label={label}>
        <Stack gap="lg">
          {children}
          {error !== undefined && <FormFailure error={error} />}
          {isDirty && (
            <div className={classes.bar}>
              <Button
                variant="default"
                onClick={() => {
                  forget()
                  onReset()
                }}
              >
                {t('forms.reset')}
              </Button>
              <Button type="submit" loading={isBusy}>
                {t('common.save')}
              </Button>
            </div>
          )}
        </Stack>
      </form>
      {blocker.status === 'blocked' && (
        <Confirm
          title={t('forms.discard_title')}
          action={t('forms.discard')}
          onConfirm={async () => blocker.proceed()}
          onClose={blocker.reset}
        >
          {t('forms.discard_about')}
        </Confirm>
      )}
    </IssuesProvider>
  )
}
