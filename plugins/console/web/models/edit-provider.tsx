import { useQuery } from '@tanstack/react-query'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/loading.tsx'
import type { Schema } from '../ui/schema-form-schema.ts'
import { Sheet } from '../ui/sheet.tsx'
import { ProviderFields } from './provider-fields.tsx'
import { type Provider, type ProviderKind, readProvider, updateProvider, valuesOf } from './provider-form.ts'

interface Props {
  provider: Provider
  onClose(): void
}

/** Changes a provider, as it is stored now. */
export function EditProvider({ provider, onClose }: Props) {
  const { id } = provider
  const { data: kinds } = api.useQuery('get', '/providers/kinds')
  const stored = useQuery({
    queryKey: ['edit', id],
    queryFn: () => readProvider(provider),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const kind = kinds?.find(({ kind }) => kind === provider.kind)
  if (stored.data && kind)
    return <Editor stored={stored.data.data} tag={stored.data.tag} {...{ kind, onClose }} />
  return (
    <Sheet title={t('models.edit', { name: provider.name })} onClose={onClose}>
      {stored.error ? <Failure error={stored.error} onRetry={stored.refetch} /> : <Loading height={240} />}
    </Sheet>
  )
}

interface EditorProps {
  stored: Provider
  tag: string | null
  kind: ProviderKind
  onClose(): void
}

function Editor({ stored, tag, kind, onClose }: EditorProps) {
  const draft = useDraft(valuesOf(stored))
  const save = async () => {
    const schema = kind.config_schema as Schema
    await updateProvider(stored, draft.base, draft.value, { tag, schema })
    await refresh('/providers', '/models')
  }
  return (
    <Sheet
      title={t('models.edit', { name: stored.name })}
      isDirty={draft.isDirty}
      canSave={draft.isDirty}
      onSave={save}
      onClose={onClose}
    >
      <ProviderFields kind={kind} values={draft.value} onChange={draft.change} stored={stored} />
    </Sheet>
  )
}
