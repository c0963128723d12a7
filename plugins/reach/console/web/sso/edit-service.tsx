import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send, sendTagged } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import { Pending } from '../ui/pending.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useAction } from '../ui/use-action.ts'
import { Rules } from './rules.tsx'
import { type Settings, storeSettings, valuesOf } from './service.ts'
import { ServiceFields } from './service-fields.tsx'

interface Props {
  kind: Settings['kind']
  name: string
  onClose(): void
}

/** Sets up a service to sign in with. */
export function EditService({ kind, name, onClose }: Props) {
  const stored = useQuery({
    queryKey: ['edit', 'sso', kind],
    queryFn: () => sendTagged(client.GET('/auth/oauth/providers/{kind}', { params: { path: { kind } } })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (stored.data)
    return <Editor settings={stored.data.data} tag={stored.data.tag} name={name} onClose={onClose} />
  return (
    <Sheet title={name} onClose={onClose}>
      <Pending {...stored} height={320} />
    </Sheet>
  )
}

interface EditorProps {
  settings: Settings
  tag: string | null
  name: string
  onClose(): void
}

function Editor({ settings, tag, name, onClose }: EditorProps) {
  const { kind } = settings
  const draft = useDraft(valuesOf(settings))
  const [result, setResult] = useState<components['schemas']['SignInTest']>()
  const [version, setVersion] = useState(tag)
  const { isBusy, error, run } = useAction()

  const save = async () => {
    const stored = await storeSettings(kind, draft.base, draft.value, version)
    setVersion(stored.tag)
    await refresh('/auth/oauth/status')
  }
  /** Only stored settings can be tested. */
  const test = () =>
    run(async () => {
      setResult(undefined)
      if (draft.isDirty) {
        await save()
        draft.accept({ ...draft.value, client_secret: null })
      }
      setResult(await send(client.POST('/auth/oauth/providers/{kind}/test', { params: { path: { kind } } })))
    })
  return (
    <Sheet
      title={name}
      isDirty={draft.isDirty}
      canSave={draft.isDirty}
      onSave={save}
      onClose={onClose}
      width={560}
      aside={
        <Button variant="default" loading={isBusy} onClick={test}>
          {t(draft.isDirty ? 'sso.save_and_test' : 'sso.test')}
        </Button>
      }
    >
      {result && (
        <Alert color={result.ok ? 'indigo' : 'red'} variant="light" role="status">
          {result.ok ? t('sso.test_ok') : result.detail}
        </Alert>
      )}
      {error !== undefined && <Failure error={error} />}
      <ServiceFields settings={settings} values={draft.value} onChange={draft.change} />
      <Rules kind={kind} rules={draft.value.rules} onChange={(rules) => draft.change({ rules })} />
    </Sheet>
  )
}
