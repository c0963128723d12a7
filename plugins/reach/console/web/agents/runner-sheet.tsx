import { Button, Radio, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { useIssue } from '../ui/issues.tsx'
import { SchemaMap } from '../ui/schema-form-field.tsx'
import { Sheet } from '../ui/sheet.tsx'

type Runner = components['schemas']['AcpRunner']
type Values = Omit<Runner, 'env' | 'stdio_buffer_limit_bytes'> & { name: string; env: Record<string, string> }

interface Props {
  name: string
  /** The stored settings; a new external agent has none. */
  runner?: Runner
  isAdmin: boolean
  onClose(): void
}

const MODES = ['call_title', 'update_detail', 'call_detail'] as const

/** The settings of an external agent: one's own, and for administrators how it is started. */
export function RunnerSheet({ name, runner, isAdmin, onClose }: Props) {
  const draft = useDraft<Values>({
    name,
    enabled: runner?.enabled ?? true,
    trusted: runner?.trusted ?? false,
    command: runner?.command ?? '',
    args: runner?.args ?? [],
    env: (runner?.env ?? {}) as Record<string, string>,
    tool_parse_mode: runner?.tool_parse_mode ?? 'update_detail',
  })
  const save = async () => {
    const { name, command, args, env, ...own } = draft.value
    const isStart = command !== draft.base.command || JSON.stringify(args) !== JSON.stringify(draft.base.args)
    const body = { ...own, env: env as Record<string, never>, ...(isStart && { command, args }) }
    await send(client.PUT('/acp/{name}', { params: { path: { name: name.trim() } }, body }))
    await refresh('/acp', '/agents/{id}/acp')
  }
  return (
    <Sheet
      title={name || t('agents.runner_new')}
      isDirty={draft.isDirty}
      canSave={draft.isDirty && draft.value.name.trim() !== ''}
      onSave={save}
      onClose={onClose}
      aside={isAdmin && runner && <DeleteRunner name={name} onDone={onClose} />}
    >
      <RunnerFields values={draft.value} isNew={!runner} isAdmin={isAdmin} onChange={draft.change} />
    </Sheet>
  )
}

/** The external agents that come with the server, which cannot be deleted. */
const BUILT_IN = ['opencode', 'claude_code', 'codex']

function DeleteRunner({ name, onDone }: { name: string; onDone(): void }) {
  if (BUILT_IN.includes(name)) return null
  const remove = async () => {
    await send<unknown>(client.DELETE('/acp/{name}', { params: { path: { name } } }))
    await refresh('/acp', '/agents/{id}/acp')
    onDone()
  }
  return (
    <Button variant="subtle" c="var(--danger)" onClick={remove}>
      {t('common.delete')}
    </Button>
  )
}

interface FieldsProps {
  values: Values
  isNew: boolean
  isAdmin: boolean
  onChange(changes: Partial<Values>): void
}

function RunnerFields({ values, isNew, isAdmin, onChange }: FieldsProps) {
  const commandIssue = useIssue('/command')
  const argsIssue = useIssue('/args')
  return (
    <>
      {isNew && (
        <TextInput
          label={t('agents.name')}
          required
          value={values.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          autoComplete="off"
        />
      )}
      {isAdmin && (
        <>
          <TextInput
            label={t('agents.runner_command')}
            description={t('agents.runner_command_help')}
            required
            error={commandIssue}
            value={values.command}
            onChange={(event) => onChange({ command: event.currentTarget.value })}
            spellCheck={false}
          />
          <TagsInput
            label={t('agents.runner_args')}
            placeholder={t('forms.list_hint')}
            error={argsIssue}
            value={values.args}
            onChange={(args) => onChange({ args })}
            splitChars={[]}
          />
        </>
      )}
      <Switch
        label={t('agents.runner_enabled')}
        checked={values.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
      <Switch
        label={t('agents.runner_trusted')}
        description={t('agents.runner_trusted_help')}
        checked={values.trusted}
        onChange={(event) => onChange({ trusted: event.currentTarget.checked })}
      />
      <Radio.Group
        label={t('agents.runner_mode')}
        value={values.tool_parse_mode}
        onChange={(mode) =>
          onChange({ tool_parse_mode: MODES.find((one) => one === mode) ?? 'update_detail' })
        }
      >
        <Stack gap="sm" mt={6}>
          {MODES.map((mode) => (
            <Radio key={mode} size="sm" value={mode} label={t(`agents.runner_mode_${mode}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <SchemaMap
        name="env"
        label={t('agents.runner_env')}
        help={t('agents.runner_env_help')}
        error={undefined}
        schema={{ additionalProperties: { type: 'string' }, writeOnly: true }}
        value={values.env}
        onChange={(env) => onChange({ env: (env ?? {}) as Record<string, string> })}
        of="acp"
        at="/env"
        isRequired={false}
        isStored={false}
      />
    </>
  )
}
