/** Gives an object its inherited methods as its own, as they are now, whatever a step puts in their place later. */
export function keepMethods(object) {
  for (let at = Object.getPrototypeOf(object); at !== null; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) {
      const property = Object.getOwnPropertyDescriptor(at, key);
      if (typeof property.value !== 'function' || Object.hasOwn(object, key)) continue;
      Object.defineProperty(object, key, { ...property, configurable: true });
    }
  }
  return object;
}
