import { ActionIcon, Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { PermissionPicks } from '../people/permission-picks.tsx'
import { useAccount } from '../session/account.ts'
import { Plus, Trash2 } from '../ui/icons.ts'
import { Section } from '../ui/section.tsx'
import classes from './rules.module.css'
import { RulesPreview } from './rules-preview.tsx'
import type { Rule, Settings } from './service.ts'

interface Props {
  kind: Settings['kind']
  rules: Rule[]
  onChange(rules: Rule[]): void
}

/** Rules that grant rights by what the service says about a person. */
export function Rules({ kind, rules, onChange }: Props) {
  const isAdmin = useAccount().role === 'admin'
  const change = (index: number, changes: Partial<Rule>) =>
    onChange(rules.map((rule, at) => (at === index ? { ...rule, ...changes } : rule)))
  return (
    <Section title={t('sso.rules')} about={t('sso.rules_about')}>
      <Stack gap="sm">
        {rules.map((rule, index) => (
          <fieldset key={index} className={classes.rule}>
            <legend>{t('sso.rule', { number: index + 1 })}</legend>
            <Stack gap="md">
              <Group gap="sm" align="flex-end" wrap="nowrap">
                <TextInput
                  flex={1}
                  label={t('sso.claim')}
                  placeholder={t('sso.claim_example')}
                  maxLength={256}
                  value={rule.claim}
                  onChange={(event) => change(index, { claim: event.currentTarget.value })}
                />
                <TextInput
                  flex={1}
                  label={t('sso.value')}
                  placeholder={t('sso.value_example')}
                  maxLength={256}
                  value={rule.value}
                  onChange={(event) => change(index, { value: event.currentTarget.value })}
                />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  aria-label={t('sso.remove_rule', { number: index + 1 })}
                  onClick={() => onChange(rules.filter((_, at) => at !== index))}
                >
                  <Trash2 size={16} />
                </ActionIcon>
              </Group>
              {isAdmin && <AdminSwitch rule={rule} onChange={(changes) => change(index, changes)} />}
              {rule.role !== 'admin' && (
                <PermissionPicks
                  label={t('sso.grants')}
                  value={rule.permissions ?? []}
                  onChange={(permissions) => change(index, { permissions })}
                />
              )}
            </Stack>
          </fieldset>
        ))}
      </Stack>
      <Button
        variant="default"
        size="xs"
        w="fit-content"
        leftSection={<Plus size={14} />}
        onClick={() => onChange([...rules, { claim: '', value: '', permissions: [] }])}
      >
        {t('sso.add_rule')}
      </Button>
      {rules.some(({ claim }) => claim !== '') && <RulesPreview kind={kind} rules={rules} />}
    </Section>
  )
}

interface AdminSwitchProps {
  rule: Rule
  onChange(changes: Partial<Rule>): void
}

/** Makes administrators of the people that a rule applies to. */
function AdminSwitch({ rule, onChange }: AdminSwitchProps) {
  return (
    <Switch
      label={t('sso.makes_admin')}
      checked={rule.role === 'admin'}
      onChange={(event) => onChange({ role: event.currentTarget.checked ? 'admin' : undefined })}
    />
  )
}
