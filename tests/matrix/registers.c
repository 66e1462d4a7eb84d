/*
 * How many registers an AMD card gives the kernels that are named, SPIR-V files with Dawn's entry point, and how many
 * values it has no register for and keeps in memory ("spills"). Mesa's driver compiles for a card that is not there:
 *
 *   RADV_FORCE_FAMILY=navi21 VK_DRIVER_FILES=.../radeon_icd.x86_64.json registers *.spv
 *
 * One line a kernel: its file, registers, spilled registers. Anything that goes wrong ends the program with 1.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define BINDINGS 12
#define STATISTICS 64

static void must(VkResult result, const char *what) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "%s: Vulkan error %d\n", what, result);
  _Exit(1);
}

static VkDevice open_device(void) {
  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pApplicationInfo = &application};
  VkInstance instance;
  must(vkCreateInstance(&instance_info, NULL, &instance), "instance");
  uint32_t count = 1;
  VkPhysicalDevice card;
  VkResult listed = vkEnumeratePhysicalDevices(instance, &count, &card);
  if (listed != VK_INCOMPLETE) must(listed, "cards");
  if (count == 0) must(VK_ERROR_INITIALIZATION_FAILED, "no card");
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
      .pipelineExecutableInfo = VK_TRUE};
  VkPhysicalDeviceVulkan11Features halves = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                             .pNext = &statistics,
                                             .storageBuffer16BitAccess = VK_TRUE};
  VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                               .pNext = &halves,
                                               .shaderFloat16 = VK_TRUE,
                                               .vulkanMemoryModel = VK_TRUE,
                                               .vulkanMemoryModelDeviceScope = VK_TRUE};
  VkPhysicalDeviceVulkan13Features more = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                           .pNext = &features,
                                           .shaderZeroInitializeWorkgroupMemory = VK_TRUE};
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const char *extension = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                             .pNext = &more,
                             .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queue,
                             .enabledExtensionCount = 1,
                             .ppEnabledExtensionNames = &extension};
  VkDevice device;
  must(vkCreateDevice(card, &info, NULL, &device), "device");
  return device;
}

/* Dawn binds a kernel's uniforms first and its buffers after them. */
static VkPipelineLayout layout_of(VkDevice device) {
  VkDescriptorSetLayoutBinding bindings[BINDINGS];
  for (uint32_t i = 0; i < BINDINGS; i++) {
    bindings[i] = (VkDescriptorSetLayoutBinding){
        .binding = i,
        .descriptorType = i == 0 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .descriptorCount = 1,
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  }
  VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                              .bindingCount = BINDINGS,
                                              .pBindings = bindings};
  VkDescriptorSetLayout set;
  must(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set), "bindings");
  VkPushConstantRange constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 64};
  VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                     .setLayoutCount = 1,
                                     .pSetLayouts = &set,
                                     .pushConstantRangeCount = 1,
                                     .pPushConstantRanges = &constants};
  VkPipelineLayout layout;
  must(vkCreatePipelineLayout(device, &info, NULL, &layout), "layout");
  return layout;
}

static VkShaderModule module_of(VkDevice device, const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) must(VK_ERROR_UNKNOWN, path);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint32_t *code = malloc(size);
  if (fread(code, 1, size, file) != (size_t)size) must(VK_ERROR_UNKNOWN, path);
  fclose(file);
  VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
  VkShaderModule module;
  must(vkCreateShaderModule(device, &info, NULL, &module), path);
  free(code);
  return module;
}

int main(int count, char **paths) {
  VkDevice device = open_device();
  VkPipelineLayout layout = layout_of(device);
  PFN_vkGetPipelineExecutableStatisticsKHR statistics_of =
      (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR");
  for (int i = 1; i < count; i++) {
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
                                        .layout = layout,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module_of(device, paths[i]),
                                                  .pName = "dawn_entry_point"}};
    VkPipeline pipeline;
    must(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), paths[i]);
    VkPipelineExecutableInfoKHR executable = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                              .pipeline = pipeline};
    VkPipelineExecutableStatisticKHR statistics[STATISTICS] = {{0}};
    for (int s = 0; s < STATISTICS; s++) {
      statistics[s].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    }
    uint32_t found = STATISTICS;
    must(statistics_of(device, &executable, &found, statistics), "statistics");
    uint64_t registers = 0, spilled = 0;
    for (uint32_t s = 0; s < found; s++) {
      if (strcmp(statistics[s].name, "VGPRs") == 0) registers = statistics[s].value.u64;
      if (strcmp(statistics[s].name, "Spilled VGPRs") == 0) spilled = statistics[s].value.u64;
    }
    printf("%s %llu %llu\n", paths[i], (unsigned long long)registers, (unsigned long long)spilled);
  }
  fflush(stdout);
  _Exit(0); /* the null card does not close */
}
