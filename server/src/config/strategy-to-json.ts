import type { ResolvedContentType, ResolvedRoute, ResolvedStrategy } from './resolved-config';
import type { Hitpass } from './user-config';

/** A function cannot be sent: that there is one can. */
export type HitpassJson = boolean | 'function';

type WithHitpassJson<T extends { readonly hitpass: Hitpass }> = Omit<T, 'hitpass'> & { readonly hitpass: HitpassJson };

export type RouteJson = WithHitpassJson<ResolvedRoute>;

export type ContentTypeJson = Omit<WithHitpassJson<ResolvedContentType>, 'routes'> & {
  readonly routes: readonly RouteJson[];
};

/** The strategy as the admin route returns it. Of the provider and its options, nothing. */
export type StrategyJson = Omit<WithHitpassJson<ResolvedStrategy>, 'contentTypes'> & {
  readonly contentTypes: readonly ContentTypeJson[];
};

const withHitpassJson = <T extends { readonly hitpass: Hitpass }>(value: T): WithHitpassJson<T> => ({
  ...value,
  hitpass: typeof value.hitpass === 'function' ? 'function' : value.hitpass,
});

export const strategyToJson = (strategy: ResolvedStrategy): StrategyJson => ({
  ...withHitpassJson(strategy),
  contentTypes: strategy.contentTypes.map((contentType) => ({
    ...withHitpassJson(contentType),
    routes: contentType.routes.map(withHitpassJson),
  })),
});
