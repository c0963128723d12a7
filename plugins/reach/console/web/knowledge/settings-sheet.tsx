import { Alert, Autocomplete, NumberInput, TextInput } from '@mantine/core'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { useIssue } from '../ui/issues.tsx'

type Settings = components['schemas']['KnowledgeSettings']
type Values = Omit<Settings, 'is_rebuilding'>

/** The settings of all knowledge bases of the server: how documents are cut and compared. */
export function SettingsSheet({ onClose }: { onClose(): void }) {
  return (
    <EditSheet
      title={t('knowledge.settings')}
      id="knowledge-settings"
      read={() => send(client.GET('/knowledge-bases/settings'))}
      valuesOf={({ is_rebuilding: _, ...values }): Values => values}
      save={async (_, __, body) => {
        await send(client.PUT('/knowledge-bases/settings', { body }))
        await refresh('/knowledge-bases')
      }}
      onClose={onClose}
    >
      {(values, onChange, { is_rebuilding }) => (
        <>
          {is_rebuilding && (
            <Alert color="indigo" variant="light">
              {t('knowledge.rebuilding')}
            </Alert>
          )}
          <Fields values={values} onChange={onChange} />
        </>
      )}
    </EditSheet>
  )
}

function Fields({ values, onChange }: { values: Values; onChange(changes: Partial<Values>): void }) {
  const { rows: providers = [] } = useRows('/providers', { query: { limit: 200 } })
  const models = providers
    .filter(({ scope, enabled }) => scope === 'global' && enabled)
    .flatMap(({ name, models }) =>
      models.filter(({ embedding }) => embedding).map(({ id }) => `${name}:${id}`),
    )
  return (
    <>
      <Autocomplete
        label={t('knowledge.embedding')}
        description={t('knowledge.embedding_help')}
        placeholder={t('knowledge.embedding_none')}
        data={[...new Set(models)]}
        error={useIssue('/embedding_model')}
        value={values.embedding_model ?? ''}
        onChange={(model) => onChange({ embedding_model: model.trim() || null })}
      />
      {values.embedding_model !== null && (
        <>
          <Prefix name="question_prefix" {...{ values, onChange }} />
          <Prefix name="passage_prefix" {...{ values, onChange }} />
        </>
      )}
      <Size name="chunk_tokens" min={100} max={4000} {...{ values, onChange }} />
      <Size name="chunk_overlap" min={0} max={1000} {...{ values, onChange }} />
    </>
  )
}

interface FieldProps<Name extends keyof Values> {
  name: Name
  values: Values
  onChange(changes: Partial<Values>): void
}

function Prefix({ name, values, onChange }: FieldProps<'question_prefix' | 'passage_prefix'>) {
  return (
    <TextInput
      label={t(`knowledge.${name}`)}
      description={t(`knowledge.${name}_help`)}
      error={useIssue(`/${name}`)}
      value={values[name]}
      onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
    />
  )
}

interface SizeProps extends FieldProps<'chunk_tokens' | 'chunk_overlap'> {
  min: number
  max: number
}

function Size({ name, min, max, values, onChange }: SizeProps) {
  return (
    <NumberInput
      label={t(`knowledge.${name}`)}
      description={t(`knowledge.${name}_help`)}
      min={min}
      max={max}
      allowDecimal={false}
      error={useIssue(`/${name}`)}
      value={values[name]}
      onChange={(value) => typeof value === 'number' && onChange({ [name]: value })}
    />
  )
}
