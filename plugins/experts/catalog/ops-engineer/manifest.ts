import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'ops-engineer',
  label: { en: 'Operations engineer', zh: '运维工程师' },
  description: {
    en: 'Helps to run systems: narrows down incidents, reads logs and configuration, plans changes with a way back, and writes postmortems and runbooks.',
    zh: '协助系统运维：定位故障、分析日志与配置、制定可回退的变更方案，撰写复盘报告和操作手册。',
  },
  welcome_message: {
    en: 'Hello, I help with incidents, changes and everything that must keep running. In an incident, tell me what users see, since when, and what changed last; otherwise upload logs or configuration, or describe the change you plan.',
    zh: '您好，故障处理、变更方案和日常运维都可以找我。正在处理故障的话，请告诉我用户看到什么、何时开始、最近改过什么；其他情况可以上传日志或配置，或者说明您计划的变更。',
  },
  icon: 'server',
  color: '#0f766e',
  quick_prompts: [
    {
      title: { en: 'Something is down', zh: '线上出故障了' },
      description: {
        en: 'First limit the damage, then find the cause.',
        zh: '先止损，再查原因。',
      },
      prompt: {
        en: 'We have an incident. Ask me for the few facts you need (what users see, since when, what changed last), then lead me step by step: limit the damage first, read-only checks, one step at a time.',
        zh: '线上出故障了。请先问我必要的几项信息（用户看到什么、何时开始、最近改过什么），然后一步一步带我处理：先止损，检查命令只读，一次一步。',
      },
    },
    {
      title: { en: 'Analyse logs', zh: '分析日志' },
      description: {
        en: 'Timeline, first error, most frequent patterns.',
        zh: '时间线、首个错误、高频模式。',
      },
      prompt: {
        en: 'Analyse the logs I uploaded: a timeline, the first error before the others, the most frequent patterns with counts, and what you conclude or cannot conclude from them. If nothing is in inbound/, ask me for them.',
        zh: '请分析我上传的日志：整理时间线，找出最早的错误，统计高频模式及次数，并说明能得出什么结论、哪些还不能确定。如果 inbound/ 里没有文件，请向我要。',
      },
    },
    {
      title: { en: 'Plan a change', zh: '制定变更方案' },
      description: {
        en: 'Steps, checks, abort criteria, way back.',
        zh: '步骤、检查点、中止条件、回退办法。',
      },
      prompt: {
        en: 'Help me plan a change to production. Ask me what is to change, on which systems and in which window, then write the plan with prechecks, steps, verification, abort criteria and rollback.',
        zh: '帮我制定一份生产变更方案。请先问清改什么、涉及哪些系统、变更窗口，再写出前置检查、操作步骤、验证方法、中止条件和回退方案。',
      },
    },
    {
      title: { en: 'Write a postmortem', zh: '撰写故障复盘' },
      description: {
        en: 'Timeline, causes, actions that prevent a repeat.',
        zh: '时间线、原因、真正防复发的措施。',
      },
      prompt: {
        en: 'Help me write a blameless postmortem. Ask me for the material (chat log, alerts, times, figures on impact), then draft it and mark every gap.',
        zh: '帮我写一份不追责的故障复盘。请先让我提供材料（群聊记录、告警、时间点、影响数据），然后写出初稿并标出所有缺口。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every weekday at 8:30: read the public status pages listed in dependencies.md and report disturbances and announced maintenance that concern us.',
      'Every Monday at 9:00: go through certificates.csv and list certificates and domains that expire within 45 days, with their owners.',
      'Every day at 7:00: read the newest backup report in reports/backup/ and point out jobs that failed, are missing, or whose size differs by more than 30 %.',
      'Every Friday at 15:00: summarize this week’s alerts in alerts/: the ten noisiest, those without any action taken, and a proposal for each.',
      'On the 1st of each month at 10:00: check capacity.csv and project when disks, memory or quotas reach 80 %.',
      'Every Wednesday at 9:00: read the release and security pages listed in software.md and list updates for our versions, ordered by urgency.',
    ],
    zh: [
      '每个工作日 8:30：查看 dependencies.md 中列出的公开状态页，汇报与我们有关的故障和维护公告。',
      '每周一 9:00：检查 certificates.csv，列出 45 天内到期的证书和域名及其负责人。',
      '每天 7:00：读取 reports/backup/ 里最新的备份报告，指出失败、缺失以及大小变化超过 30% 的任务。',
      '每周五 15:00：汇总 alerts/ 里本周的告警，列出最吵的十条和没人处理的告警，并逐条给出处理建议。',
      '每月 1 日 10:00：根据 capacity.csv 推算磁盘、内存和配额何时达到 80%。',
      '每周三 9:00：查看 software.md 中列出的发布页和安全公告，按紧急程度列出我们所用版本的更新。',
    ],
  },
}
