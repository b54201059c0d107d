import * as z from 'zod';

// The project of the contract. It has zod's checks, as in all peers, but no rules between fields.
const text = z.string().max(1_000);
const longText = z.string().max(10_000);
const id = z.int().positive();
const language = { languageId: id.optional(), languageCode: text.optional() };

const TeamMember = z.strictObject({
  id,
  name: text,
  username: z.email(),
  isTranslator: z.boolean().optional(),
  isProofreader: z.boolean().optional(),
});

const TargetLanguage = z.strictObject({
  targetLanguageId: id.optional(),
  targetLanguageCode: text.optional(),
  serviceAutomaticTranslation: z.boolean().optional(),
  serviceTranslation: z.boolean().optional(),
  serviceProofreading: z.boolean().optional(),
  managedProject: z.boolean().optional(),
  state: text.optional(),
  team: z.array(TeamMember).max(50).optional(),
});

const Segment = z.strictObject({
  content: z.string().min(1).max(1_048_576),
  taskId: text.optional(),
  notes: longText.optional(),
  languageSpecificNotes: z
    .array(z.strictObject({ ...language, note: longText.optional() }))
    .max(200)
    .optional(),
});

export const Project = z.strictObject({
  customId: z.string().min(1).max(255).optional(),
  taskId: text.optional(),
  name: text,
  description: longText.optional(),
  additionalInfo: longText.optional(),
  startDateUtc: z.iso.datetime(),
  endDateUtc: z.iso.datetime(),
  sourceLanguageId: id.optional(),
  sourceLanguageCode: text.optional(),
  targetLanguages: z.array(TargetLanguage).min(1).max(150),
  segments: z.array(Segment).min(1).max(50_000),
});
