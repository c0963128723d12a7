import { Button, Drawer, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '../i18n/words.ts'
import { Confirm } from './confirm.tsx'
import { FormFailure, IssuesProvider } from './issues.tsx'
import { useIsPhone } from './phone-bar.tsx'
import classes from './sheet.module.css'
import { useAction } from './use-action.ts'
import { useSteadyFocus } from './use-steady-focus.ts'

interface Props {
  title: string
  children: ReactNode
  /** True if closing the sheet would lose what was entered. */
  isDirty?: boolean
  /** Stores what was entered; the sheet closes, or shows why this failed. Without it the sheet only shows something. */
  onSave?: (() => Promise<unknown>) | undefined
  saveLabel?: string
  /** False if the sheet has something to show after it was stored. */
  closesOnSave?: boolean
  canSave?: boolean
  onClose(): void
  /** A further action at the left of the footer, for example a test. */
  aside?: ReactNode
  width?: number
}

/** A sheet at the side in which something is edited. It asks before it loses changes. */
export function Sheet(props: Props) {
  const { title, children, isDirty = false, onSave, onClose, aside, width = 480, canSave = true } = props
  const [isAsking, setAsking] = useState(false)
  const { isBusy, error, run } = useAction()
  const form = useRef<HTMLFormElement>(null)
  const isPhone = useIsPhone()
  const close = () => (isDirty ? setAsking(true) : onClose())

  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])

  const save = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      await onSave?.()
      if (props.closesOnSave ?? true) onClose()
    })
  }

  return (
    <Drawer
      opened
      onClose={close}
      title={title}
      position="right"
      size={isPhone ? '100%' : width}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      classNames={{ content: classes.content, body: classes.body }}
    >
      <IssuesProvider error={error}>
        <form ref={form} className={classes.form} onSubmit={save} noValidate>
          <Fields>
            {children}
            {error !== undefined && <FormFailure error={error} />}
          </Fields>
          <footer className={classes.foot}>
            <div className={classes.aside}>{aside}</div>
            <Button variant="default" onClick={close}>
              {t(onSave ? 'common.cancel' : 'common.close')}
            </Button>
            {onSave && (
              <Button type="submit" loading={isBusy} disabled={!canSave}>
                {props.saveLabel ?? t('common.save')}
              </Button>
            )}
          </footer>
        </form>
      </IssuesProvider>
      {isAsking && (
        <Confirm
          title={t('forms.discard_title')}
          action={t('forms.discard')}
          onConfirm={async () => onClose()}
          onClose={() => setAsking(false)}
        >
          {t('forms.discard_about')}
        </Confirm>
      )}
    </Drawer>
  )
}

/** The scrolled part of a sheet, mounted with its contents: the drawer mounts them later than the sheet. */
function Fields({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useSteadyFocus(box)
  return (
    <div ref={box} className={classes.fields}>
      <Stack gap="lg">{children}</Stack>
    </div>
  )
}
