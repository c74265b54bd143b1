/*
 * A Vulkan driver for tests: Mesa's llvmpipe, which computes on the processor, under the name of an NVIDIA card. Chromium refuses every
 * software driver but SwiftShader by its name, and wants VK_KHR_external_semaphore_fd, which llvmpipe lacks. This driver claims the
 * extension, and fails when a program uses it; programs that only compute never do.
 * `npm run gpu -- pretend` compiles it, with OWN_NAME for a driver that keeps llvmpipe's name and says that it is a card all the same.
 * llvmpipe lies beside it: llvmpipe/libvulkan_lvp.so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);
typedef Function (*Lookup)(void *, const char *);
#define EXPORT __attribute__((visibility("default")))

static Lookup real_instance, real_physical;
static int32_t (*real_negotiate)(uint32_t *);

static void load(void) {
  if (real_instance) return;
  Dl_info here;
  char path[4096];
  dladdr((void *)load, &here);
  snprintf(path, sizeof path - 64, "%s", here.dli_fname);
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash : path, "/llvmpipe/libvulkan_lvp.so");
  void *driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!driver) {
    fprintf(stderr, "pretend: %s\n", dlerror());
    return;
  }
  real_instance = (Lookup)dlsym(driver, "vk_icdGetInstanceProcAddr");
  real_physical = (Lookup)dlsym(driver, "vk_icdGetPhysicalDeviceProcAddr");
  *(void **)&real_negotiate = dlsym(driver, "vk_icdNegotiateLoaderICDInterfaceVersion");
}

static uint32_t u32(const uint8_t *at) { uint32_t value; memcpy(&value, at, 4); return value; }
static void put(uint8_t *at, uint32_t value) { memcpy(at, &value, 4); }
static uint8_t *next_of(const uint8_t *structure) { uint8_t *next; memcpy(&next, structure + 8, 8); return next; }

/* VkPhysicalDeviceProperties: apiVersion, driverVersion, vendorID, deviceID, deviceType, deviceName[256]. */
static void rename_device(uint8_t *properties) {
  put(properties + 16, 2); /* a discrete card */
#ifndef OWN_NAME
  put(properties + 4, 580u << 22 | 159u << 14 | 4u << 6);
  put(properties + 8, 0x10de);
  put(properties + 12, 0x2330);
  memset(properties + 20, 0, 256);
  strcpy((char *)properties + 20, "NVIDIA H100 (pretended)");
#endif
}

static void (*real_properties)(void *, void *), (*real_properties2)(void *, void *), (*real_properties2_khr)(void *, void *);
static void properties(void *device, void *out) { real_properties(device, out); rename_device(out); }
static void rename_all(uint8_t *out) {
  rename_device(out + 16);
  for (uint8_t *each = next_of(out); each; each = next_of(each)) {
    if (u32(each) != 1000196000u) continue; /* VkPhysicalDeviceDriverProperties: driverID, driverName[256], driverInfo[256] */
    put(each + 16, 4);
#ifndef OWN_NAME
    memset(each + 20, 0, 512);
    strcpy((char *)each + 20, "NVIDIA");
    strcpy((char *)each + 276, "580.159.04");
#endif
  }
}
static void properties2(void *device, void *out) { real_properties2(device, out); rename_all(out); }
static void properties2_khr(void *device, void *out) { real_properties2_khr(device, out); rename_all(out); }

static const char *added = "VK_KHR_external_semaphore_fd";
static int32_t (*real_extensions)(void *, const char *, uint32_t *, uint8_t *);
static int32_t extensions(void *device, const char *layer, uint32_t *count, uint8_t *out) {
  enum { size = 260 }; /* name[256], version */
  if (layer) return real_extensions(device, layer, count, out);
  uint32_t known = 0, room = *count;
  real_extensions(device, NULL, &known, NULL);
  if (!out) { *count = known + 1; return 0; }
  uint8_t *all = calloc(known + 1, size);
  real_extensions(device, NULL, &known, all);
  strcpy((char *)all + size * known, added);
  put(all + size * known + 256, 1);
  known += 1;
  *count = known < room ? known : room;
  memcpy(out, all, (size_t)size * *count);
  free(all);
  return *count < known ? 5 : 0;
}

static int32_t (*real_create_device)(void *, void *, void *, void *);
static int32_t create_device(void *physical, uint8_t *info, void *allocator, void *out) {
  uint8_t copy[72];
  const char **names;
  memcpy(copy, info, sizeof copy);
  memcpy(&names, copy + 56, 8);
  uint32_t count = u32(copy + 48), kept = 0;
  const char **wanted = malloc(sizeof *wanted * (count + 1));
  for (uint32_t i = 0; i < count; i++) if (strcmp(names[i], added)) wanted[kept++] = names[i];
  put(copy + 48, kept);
  memcpy(copy + 56, &wanted, 8);
  int32_t result = real_create_device(physical, copy, allocator, out);
  free(wanted);
  return result;
}

/* Claims that semaphores can be exported to opaque file descriptors and imported from them. */
static void external_semaphores(void *physical, uint8_t *info, uint8_t *out) {
  (void)physical;
  int is_opaque = u32(info + 16) == 1;
  put(out + 16, is_opaque);
  put(out + 20, is_opaque);
  put(out + 24, is_opaque ? 3 : 0);
}

static int32_t (*real_create_semaphore)(void *, void *, void *, void *);
static int32_t create_semaphore(void *device, uint8_t *info, void *allocator, void *out) {
  uint8_t copy[24];
  memcpy(copy, info, sizeof copy);
  uint8_t *next = next_of(copy);
  if (next && u32(next) == 1000077000u) memcpy(copy + 8, next + 8, 8); /* VkExportSemaphoreCreateInfo */
  return real_create_semaphore(device, copy, allocator, out);
}
static int32_t fails(void) { return -8; }

static Lookup real_device;
static Function device_function(void *device, const char *name) {
  if (!strcmp(name, "vkGetSemaphoreFdKHR") || !strcmp(name, "vkImportSemaphoreFdKHR")) return (Function)fails;
  Function found = real_device(device, name);
  if (!found || strcmp(name, "vkCreateSemaphore")) return found;
  *(Function *)&real_create_semaphore = found;
  return (Function)create_semaphore;
}

static Function ours(const char *name, Function found) {
  static const char external[] = "vkGetPhysicalDeviceExternalSemaphoreProperties";
  if (!strncmp(name, external, sizeof external - 1)) return (Function)external_semaphores;
  if (!found) return NULL;
#define REPLACE(NAME, REAL, OURS) if (!strcmp(name, NAME)) { *(Function *)&REAL = found; return (Function)OURS; }
  REPLACE("vkGetPhysicalDeviceProperties", real_properties, properties)
  REPLACE("vkGetPhysicalDeviceProperties2", real_properties2, properties2)
  REPLACE("vkGetPhysicalDeviceProperties2KHR", real_properties2_khr, properties2_khr)
  REPLACE("vkEnumerateDeviceExtensionProperties", real_extensions, extensions)
  REPLACE("vkCreateDevice", real_create_device, create_device)
  REPLACE("vkGetDeviceProcAddr", real_device, device_function)
  return found;
}

EXPORT Function vk_icdGetInstanceProcAddr(void *instance, const char *name) {
  load();
  if (!real_instance || !strcmp(name, "vk_icdGetPhysicalDeviceProcAddr")) return NULL;
  return ours(name, real_instance(instance, name));
}
EXPORT Function vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
  load();
  return real_physical ? ours(name, real_physical(instance, name)) : NULL;
}
EXPORT int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
  load();
  if (!real_instance) return -9;
  return real_negotiate ? real_negotiate(version) : 0;
}
