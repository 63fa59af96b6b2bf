import * as z from 'zod';

/** The largest `integer` of Postgres. */
export const int4Max = 2_147_483_647;

/** A whole number that the registry can store: what an agent says may be anybody's, and one too large would make a step's end unrecordable. */
export const int4 = (min: number) => z.number().int().min(min).max(int4Max);
